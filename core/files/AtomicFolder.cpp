#include "core/files/AtomicFolder.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/files/PartFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
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

void makeParent(const fs::path& folder, const std::string& path) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (failed) throw FileError(path, "cannot be made a folder: " + failed.message());
}

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
  if (isNew) makeParent(folder, path);
  PartFile part((isNew ? folder.parent_path() : folder).string(), folder.filename().string(), path,
                PartFile::Kind::Folder);
  fill(part.path(), path, write);
  if (isNew) {
    part.rename(folder.string());
  } else {
    moveFiles(part.path(), folder, last, path);
  }
}

}  // namespace softscope
