#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The files of one split of a data set, not yet opened.
struct ClassFolders {
  struct File {
    std::string path;
    int label = 0;  ///< index into `classes`
  };
  /// Names of the class folders, sorted.
  std::vector<std::string> classes;
  /// The files by class, then by name, so that every machine sees the same order.
  std::vector<File> files;
};

/// Lists FOLDER/SPLIT/CLASS/FILE and skips names that begin with a dot. Throws DataSetError if the
/// folder or the split is missing, if it has fewer than two classes, or if a class is empty.
ClassFolders listClassFolders(const std::string& folder, const std::string& split);

/// Throws DataSetError unless train/ and val/ of the folder have the same classes, and these have
/// names that a checkpoint can hold: UTF-8.
void requireSameClasses(const std::string& folder);

/// Returns the last part of a path: the name of the file or folder.
std::string lastPart(const std::string& path);

}  // namespace softscope
