#include "core/AtomicFile.h"

#include "core/Error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// The folder of the file, which is there. Throws FileError where no such file can be.
fs::path folderOf(const std::string& path) {
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw FileError(path, "the folder " + folder.string() + " does not exist");
  }
  if (fs::is_directory(target)) throw FileError(path, "is a folder; give a file name");
  return folder;
}

}  // namespace

void checkWritable(const std::string& path) {
  if (access(folderOf(path).c_str(), W_OK) == 0) return;
  throw FileError(path, std::string("cannot be written: ") + std::strerror(errno));
}

void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write) {
  const fs::path target(path);
  const fs::path folder = folderOf(path);
  // The extension stays last, because some writers choose the format by it.
  std::string name = ".";
  name += target.stem().string() + "." + std::to_string(getpid()) + ".part";
  name += target.extension().string();
  const std::string temporary = (folder / name).string();
  std::error_code ignored;
  try {
    write(temporary);
    std::error_code failure;
    fs::rename(temporary, target, failure);
    if (failure) throw FileError(path, "cannot be written: " + failure.message());
  } catch (...) {
    fs::remove(temporary, ignored);
    throw;
  }
}

void writeFileAtomically(const std::string& path, std::string_view bytes) {
  writeFileAtomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) throw FileError(path, std::string("cannot be written: ") + std::strerror(errno));
  });
}

}  // namespace softscope
