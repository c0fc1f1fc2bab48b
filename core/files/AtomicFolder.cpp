#include "core/files/AtomicFolder.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/files/PartFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// Returns the path without a trailing slash, which would leave it without a file name.
fs::path namedFolder(const std::string& path) {
  std::error_code failed;
  fs::path folder = fs::absolute(path, failed).lexically_normal();
  if (failed) throw FileError(path, "is no folder and cannot be made one: " + failed.message());
  return folder.has_filename() ? folder : folder.parent_path();
}

bool isThere(const fs::path& folder, const std::string& path) {
  std::error_code failed;
  const fs::file_type type = fs::status(folder, failed).type();
  if (type == fs::file_type::directory) return true;
  if (type == fs::file_type::not_found) return false;
  throw FileError(path, "is no folder and cannot be made one" +
                            (failed ? ": " + failed.message() : std::string()));
}

/// The folders above a new one, made where they are missing. Removes those again unless keep() was
/// called or somebody else has put something into them.
class ParentFolders {
 public:
  /// Throws FileError for `path`.
  ParentFolders(const fs::path& folder, const std::string& path) {
    std::error_code failed;
    for (fs::path parent = folder.parent_path(); !fs::exists(parent, failed) && !failed;
         parent = parent.parent_path()) {
      made_.push_back(parent);
    }
    fs::create_directories(folder.parent_path(), failed);
    if (failed) throw FileError(path, "cannot be made a folder: " + failed.message());
  }
  ~ParentFolders() {
    for (const fs::path& parent : made_) rmdir(parent.c_str());
  }
  ParentFolders(const ParentFolders&) = delete;
  ParentFolders& operator=(const ParentFolders&) = delete;

  void keep() { made_.clear(); }

 private:
  /// The innermost first.
  std::vector<fs::path> made_;
};

/// Moves a file to `place`. If `place` is a link, the link stays and its target is written.
void moveFile(const fs::path& file, const fs::path& place) {
  std::error_code failed;
  if (!fs::is_symlink(fs::symlink_status(place, failed))) {
    copyPermissions(place.string(), file.string());
    if (std::rename(file.c_str(), place.c_str()) == 0) return;
    throw FileError(place.string(), writeFailure(errno));
  }
  writeFileAtomically(place.string(), [&](const std::string& temporary) {
    fs::copy_file(file, temporary, fs::copy_options::overwrite_existing, failed);
    if (failed) throw FileError(place.string(), writeFailure(failed.value()));
  });
}

/// Moves every file of `from` into `to`.
void moveFiles(const fs::path& from, const fs::path& to, const std::string& last,
               const std::string& path) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(from, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    files.push_back(entry->path());
  }
  if (failed) throw FileError(path, "cannot be read: " + failed.message());
  std::stable_partition(files.begin(), files.end(),
                        [&](const fs::path& file) { return file.filename() != last; });
  for (const fs::path& file : files) checkWritable((to / file.filename()).string());
  for (const fs::path& file : files) moveFile(file, to / file.filename());
}

/// Renames a part to a folder that was not there. Returns false if another process has made one
/// with files meanwhile.
bool takesName(PartFile& part, const fs::path& folder) {
  try {
    part.rename(folder.string());
    return true;
  } catch (const FileError&) {
    std::error_code failed;
    if (fs::is_directory(folder, failed)) return false;
    throw;
  }
}

/// Tells a file from one that has replaced it. All members are zero if there is no file.
struct FileState {
  ino_t number = 0;
  timespec written{};

  bool operator==(const FileState& other) const {
    return number == other.number && written.tv_sec == other.written.tv_sec &&
           written.tv_nsec == other.written.tv_nsec;
  }
};

FileState stateOfFile(const fs::path& file) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_mtim};
}

/// Keeps a folder to one process that moves files into it. Others wait, as long as the file system
/// knows locks.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  ~FolderLock() {
    if (file_ >= 0) close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

/// Runs `write`. An error about a file names the file's place in `path`.
void fill(const std::string& temporary, const std::string& path,
          const std::function<void(const std::string&)>& write) {
  try {
    write(temporary);
  } catch (const FileError& error) {
    const std::string_view said = error.what();
    if (!said.starts_with(temporary + "/")) throw;
    throw FileError(path, std::string(said.substr(temporary.size() + 1)));
  }
}

}  // namespace

void writeFolderAtomically(const std::string& path, const std::string& last,
                           const std::function<void(const std::string& temporaryFolder)>& write) {
  const fs::path folder = namedFolder(path);
  const bool isNew = !isThere(folder, path);
  std::optional<ParentFolders> parents;
  if (isNew) parents.emplace(folder, path);
  PartFile part((isNew ? folder.parent_path() : folder).string(), folder.filename().string(), path,
                PartFile::Kind::Folder);
  const FileState before = stateOfFile(folder / last);
  fill(part.path(), path, write);
  if (isNew && takesName(part, folder)) {
    parents->keep();
    return;
  }
  const FolderLock lock(folder);
  if (stateOfFile(folder / last) != before) {
    throw FileError(path, "another process has filled it meanwhile; name another folder");
  }
  moveFiles(part.path(), folder, last, path);
}

}  // namespace softscope
