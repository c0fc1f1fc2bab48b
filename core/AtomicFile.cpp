#include "core/AtomicFile.h"

#include "core/Error.h"
#include "core/PartFile.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// What stands at `place`. Throws FileError of `path` where that cannot even be looked at.
fs::file_type typeOf(const fs::path& place, const std::string& path) {
  std::error_code failure;
  const fs::file_type type = fs::status(place, failure).type();
  if (type == fs::file_type::none) throw FileError(path, writeFailure(failure.value()));
  return type;
}

/// The folder of the file, which is there. Throws FileError where no such file can be.
fs::path folderOf(const std::string& path) {
  const fs::path target(path);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (typeOf(folder, path) != fs::file_type::directory) {
    throw FileError(path, "the folder " + folder.string() + " does not exist");
  }
  if (typeOf(target, path) == fs::file_type::directory) {
    throw FileError(path, "is a folder; give a file name");
  }
  return folder;
}

}  // namespace

void checkWritable(const std::string& path) {
  if (access(folderOf(path).c_str(), W_OK) != 0) throw FileError(path, writeFailure(errno));
}

void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write,
                         Durability durability) {
  PartFile part(folderOf(path).string(), fs::path(path).filename().string(), path,
                PartFile::Kind::File);
  write(part.path());
  if (durability == Durability::OnDisk) part.flush();
  part.rename(path);
}

void writeFileAtomically(const std::string& path, std::string_view bytes, Durability durability) {
  const auto write = [&](const std::string& temporary) {
    errno = 0;
    std::ofstream file(temporary, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) throw FileError(path, writeFailure(errno));
  };
  writeFileAtomically(path, write, durability);
}

}  // namespace softscope
