#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The files of one split of a data set, not opened yet.
struct ClassFolders {
  struct File {
    std::string path;
    int label = 0;  ///< index into `classes`
  };
  /// Names of the class folders, sorted.
  std::vector<std::string> classes;
  /// By class, then by name, so that every machine sees the same order.
  std::vector<File> files;
};

/// Lists FOLDER/SPLIT/CLASS/FILE; names that begin with a dot are passed over. Throws DataSetError
/// where the folder or the split is missing, has fewer than two classes, or a class is empty.
ClassFolders listClassFolders(const std::string& folder, const std::string& split);

/// Throws DataSetError unless train/ and val/ of the folder have the same classes.
void requireSameClasses(const std::string& folder);

/// What a file or folder is called wherever it lies: the last part of its path.
std::string lastPart(const std::string& path);

}  // namespace softscope
