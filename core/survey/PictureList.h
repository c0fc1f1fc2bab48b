#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The pictures of a survey, not yet opened, in the order of their paths.
struct PictureList {
  struct Entry {
    std::string path;  ///< relative to `folder`, or absolute if a list gives it so
    std::optional<int> classIndex = {};  ///< index into `classes`
  };
  /// Absolute path of the folder.
  std::string folder;
  /// The class folders, in alphabetical order; empty if there are none.
  std::vector<std::string> classes;
  std::vector<Entry> entries;
  /// SHA-256 of the pictures' paths.
  std::string checksum;
  /// Number of files in the folder whose names are not those of pictures.
  std::int64_t passedOver = 0;
  /// Links in the folder to nothing that could be told from a folder of pictures, by their paths.
  std::vector<std::string> brokenLinks;

  /// Returns the path to read an entry from.
  std::string pathOf(const Entry& entry) const;
  /// Returns a SHA-256 of the pictures' paths and file sizes, which surveys of the first version
  /// keep. Looks at every file.
  std::string checksumWithSizes() const;
};

/// Lists the pictures in `source`. This is a folder, whose files are recognised as pictures by
/// their names, whether they can be read or not; a data set, of which the folder `split` is taken
/// if it exists; or a text file that names a picture on every line, relative to its own folder. If
/// a folder holds no pictures itself and has several subfolders, these are the classes. Hidden
/// files are skipped. Lists at most `limit` pictures, spread evenly over all of them. Throws
/// DataSetError if there are no pictures.
PictureList listPictures(const std::string& source, const std::optional<std::string>& split,
                         std::optional<std::int64_t> limit = std::nullopt);

/// Lists pictures that are given by their paths; a single path may be a folder, which is listed as
/// by listPictures(). Throws DataSetError.
PictureList namedPictures(const std::vector<std::string>& paths,
                          std::optional<std::int64_t> limit = std::nullopt);

}  // namespace softscope
