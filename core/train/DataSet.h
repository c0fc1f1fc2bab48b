#pragma once

#include "core/Progress.h"
#include "core/image/Picture.h"
#include "core/image/PictureReading.h"
#include "core/model/InputTransform.h"
#include "core/train/ClassFolders.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace softscope {

struct LabelledPicture {
  Picture picture;
  int label = 0;  ///< index into the data set's classes
};

/// One split of a data set, decoded into memory as bytes.
struct DataSet {
  /// Names of the class folders, sorted.
  std::vector<std::string> classes;
  std::vector<LabelledPicture> pictures;
  /// Problems with the files that are not readable pictures and were skipped.
  std::vector<std::string> unreadable;
  /// The pictures that are not fed as they are stored.
  NotedPictures noted;
};

/// Converts a decoded picture to the form that is kept.
using Preparation = std::function<Picture(const Picture&)>;

/// Checks that every class has a readable picture, while files are read in order.
class ReadableClasses {
 public:
  /// The folders must outlive this object.
  explicit ReadableClasses(const ClassFolders& folders) : folders_(folders) {}

  /// Records that the next file was read, or the problem with it. Throws DataSetError once a class
  /// turns out to have no readable picture.
  void add(const std::string& problem);

  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  const ClassFolders& folders_;
  std::size_t next_ = 0;
  bool classRead_ = false;
  std::size_t unreadableBefore_ = 0;
  std::vector<std::string> unreadable_;
};

/// Runs `read`, which reads and prepares the picture file at `path`, and returns the problem with
/// the file; empty if there is none.
std::string readProblem(const std::string& path, const std::function<void()>& read);

/// Receives the pictures one by one as they are read.
using PictureUse = std::function<void(LabelledPicture)>;

/// Reads the files in order, large pictures one at a time, and passes on the result of `prepare`
/// for each. Like published pipelines, ignores the camera's orientation. Returns the problems with
/// files that are not readable pictures, which are skipped. Throws DataSetError once a class turns
/// out to have no readable picture.
std::vector<std::string> forEachPicture(const ClassFolders& folders, const Preparation& prepare,
                                        const PictureUse& use, const std::string& doing,
                                        const Progress& progress = {});

/// Reads FOLDER/SPLIT/CLASS/FILE into memory as forEachPicture() does. Throws DataSetError if the
/// data set is unusable: no such split, fewer than two classes, or a class without a readable
/// picture.
DataSet readDataSet(const std::string& folder, const std::string& split, const Preparation& prepare,
                    const Progress& progress = {});

/// For training: resizes the shorter side to `side`, antialiased.
Preparation withShorterSide(int side);

/// For evaluation: keeps the pixels that the published transform keeps, before they are normalised.
Preparation asEvaluated(const InputTransform& transform);

}  // namespace softscope
