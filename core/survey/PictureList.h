#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The pictures that a survey is of, not opened yet, in the order of their paths.
struct PictureList {
  struct Entry {
    std::string path;  ///< relative to `folder`, or absolute where a list has it so
    std::optional<int> classIndex = {};  ///< of `classes`
  };
  /// Absolute.
  std::string folder;
  /// The class folders, in alphabetical order; empty where there are none.
  std::vector<std::string> classes;
  std::vector<Entry> entries;
  /// SHA-256 of the paths and the files' sizes.
  std::string checksum;
  /// Files in the folder that are not named like pictures.
  std::int64_t passedOver = 0;

  /// Where to read one.
  std::string pathOf(const Entry& entry) const;
};

/// The pictures below `source`: a folder, of whose files those count that are named like pictures;
/// a data set, of which the folder `split` is taken where it has one; or a text file that names a
/// picture on every line, relative to where it lies. Where no picture lies in the folder itself and
/// it has several folders, these are the classes. Hidden files are passed over. `limit` pictures at
/// most, spread evenly over all of them. Throws DataSetError where there is no picture.
PictureList listPictures(const std::string& source, const std::optional<std::string>& split,
                         std::optional<std::int64_t> limit = std::nullopt);

}  // namespace softscope
