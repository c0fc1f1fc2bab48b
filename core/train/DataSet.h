#pragma once

#include "core/Progress.h"
#include "core/image/NotedPictures.h"
#include "core/image/Picture.h"
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
  /// What was wrong with each file that is not a readable picture, and was passed over.
  std::vector<std::string> unreadable;
  /// Those that are not fed as they are stored.
  NotedPictures noted;
};

/// What is kept of a picture once it is decoded.
using Preparation = std::function<Picture(const Picture&)>;

/// Looks after the classes of files that are read in their order.
class ReadableClasses {
 public:
  /// The folders outlive it.
  explicit ReadableClasses(const ClassFolders& folders) : folders_(folders) {}

  /// The next file was read, or what was wrong with it. Throws DataSetError once a class turns out
  /// to hold no readable picture.
  void add(const std::string& problem);

  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  const ClassFolders& folders_;
  std::size_t next_ = 0;
  bool classRead_ = false;
  std::size_t unreadableBefore_ = 0;
  std::vector<std::string> unreadable_;
};

/// What was wrong with the picture file at `path` that `read` reads and prepares; empty where
/// nothing was.
std::string readProblem(const std::string& path, const std::function<void()>& read);

/// Takes the pictures one by one, as they are read.
using PictureUse = std::function<void(LabelledPicture)>;

/// Reads the files in their order, of large pictures one at a time, and hands on what `prepare`
/// makes of each; as published pipelines do, it ignores the camera's orientation. Returns what was
/// wrong with each file that is not a readable picture, which is passed over. Throws DataSetError
/// once a class turns out to hold no readable picture.
std::vector<std::string> forEachPicture(const ClassFolders& folders, const Preparation& prepare,
                                        const PictureUse& use, const std::string& doing,
                                        const Progress& progress = {});

/// Reads FOLDER/SPLIT/CLASS/FILE into memory as forEachPicture() does. Throws DataSetError for a
/// data set that cannot be meant: no such split, fewer than two classes, a class without a readable
/// picture.
DataSet readDataSet(const std::string& folder, const std::string& split, const Preparation& prepare,
                    const Progress& progress = {});

/// For training: the shorter side resized to `side`, antialiased.
Preparation withShorterSide(int side);

/// For evaluation: the pixels that the published transform keeps, before they are normalised.
Preparation asEvaluated(const InputTransform& transform);

}  // namespace softscope
