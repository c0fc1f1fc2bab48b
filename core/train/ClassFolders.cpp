#include "core/train/ClassFolders.h"

#include "core/Error.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace softscope {

namespace {

namespace fs = std::filesystem;

/// Lists the entries of a folder that `keep` accepts, sorted by name.
template <typename Keep>
std::vector<fs::path> list(const fs::path& folder, Keep keep) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().front() != '.' && keep(*entry)) {
      found.push_back(entry->path());
    }
  }
  if (error) throw DataSetError(folder.string(), "cannot be listed: " + error.message());
  std::sort(found.begin(), found.end());
  return found;
}

/// Throws DataSetError for a link that cannot be followed, which may be meant for a folder.
bool isFolder(const fs::directory_entry& entry) {
  std::error_code ignored;
  if (entry.is_directory(ignored)) return true;
  if (entry.is_symlink(ignored) && !entry.exists(ignored)) {
    throw DataSetError(entry.path().string(),
                       "is a link that cannot be followed; mend or remove it");
  }
  return false;
}

/// Returns true for everything that is no folder: reading a link that leads nowhere fails with the
/// reason, which is counted.
bool isFileEntry(const fs::directory_entry& entry) {
  std::error_code ignored;
  return !entry.is_directory(ignored);
}

/// Returns the first name of one sorted list that the other lacks, or nothing.
std::string firstMissing(const std::vector<std::string>& names,
                         const std::vector<std::string>& others) {
  for (const std::string& name : names) {
    if (!std::binary_search(others.begin(), others.end(), name)) return name;
  }
  return {};
}

[[noreturn]] void cannotBeSearched(const fs::path& folder, const std::error_code& failed) {
  throw DataSetError(folder.string(), "cannot be searched: " + failed.message() +
                                          "; choose a folder that you may read");
}

void requireFolder(const fs::path& folder, const std::string& split) {
  std::error_code failed;
  const fs::file_type type = fs::status(folder, failed).type();
  if (type == fs::file_type::not_found) throw DataSetError(folder.string(), "does not exist");
  if (type == fs::file_type::none) cannotBeSearched(folder, failed);
  if (type != fs::file_type::directory) {
    throw DataSetError(folder.string(), "is a file; a data set is a folder of train/ and val/");
  }
  const fs::file_type splitType = fs::status(folder / split, failed).type();
  if (splitType == fs::file_type::none) cannotBeSearched(folder / split, failed);
  if (splitType != fs::file_type::directory) {
    throw DataSetError(folder.string(), "has no folder " + split +
                                            "/; a data set has train/ and val/, each with one "
                                            "folder of pictures per class");
  }
}

}  // namespace

ClassFolders listClassFolders(const std::string& folder, const std::string& split) {
  requireFolder(folder, split);
  const fs::path splitFolder = fs::path(folder) / split;
  const std::vector<fs::path> classFolders = list(splitFolder, isFolder);
  if (classFolders.size() < 2) {
    const std::string found =
        classFolders.empty() ? "no class" : "only the class " + classFolders[0].filename().string();
    throw DataSetError(splitFolder.string(),
                       "holds " + found + "; it needs one folder for each of at least two classes");
  }
  ClassFolders result;
  for (const fs::path& classFolder : classFolders) {
    const std::vector<fs::path> files = list(classFolder, isFileEntry);
    if (files.empty()) {
      throw DataSetError(classFolder.string(),
                         "is a class without pictures; add some or remove it");
    }
    for (const fs::path& file : files) {
      result.files.push_back({file.string(), static_cast<int>(result.classes.size())});
    }
    result.classes.push_back(classFolder.filename().string());
  }
  return result;
}

void requireSameClasses(const std::string& folder) {
  const std::vector<std::string> training = listClassFolders(folder, "train").classes;
  const std::vector<std::string> validation = listClassFolders(folder, "val").classes;
  for (const std::string& name : training) {
    if (isUtf8(name)) continue;
    throw DataSetError(folder, "has a class whose name is not UTF-8, " + quotedText(name) +
                                   ", and checkpoints hold no other; rename its folders");
  }
  if (const std::string name = firstMissing(training, validation); !name.empty()) {
    throw DataSetError(folder, "has the class " + name + " in train/ and not in val/");
  }
  if (const std::string name = firstMissing(validation, training); !name.empty()) {
    throw DataSetError(folder, "has the class " + name + " in val/ and not in train/");
  }
}

std::string lastPart(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

}  // namespace softscope
