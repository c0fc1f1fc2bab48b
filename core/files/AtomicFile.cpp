#include "core/files/AtomicFile.h"

#include "core/Error.h"
#include "core/files/PartFile.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace softscope {

namespace fs = std::filesystem;

namespace {

/// Returns the type of the file at `place`. Throws FileError for `path` if it cannot be determined.
fs::file_type typeOf(const fs::path& place, const std::string& path) {
  std::error_code failure;
  const fs::file_type type = fs::status(place, failure).type();
  if (type == fs::file_type::none) throw FileError(path, writeFailure(failure.value()));
  return type;
}

/// Returns the file that a path leads to through symbolic links. The links stay; the file need not
/// exist.
fs::path targetOf(const std::string& path) {
  // The limit that the system itself sets.
  constexpr int mostLinks = 40;
  fs::path target(path);
  std::error_code failed;
  for (int i = 0; i < mostLinks && fs::is_symlink(fs::symlink_status(target, failed)); ++i) {
    const fs::path next = fs::read_symlink(target, failed);
    if (failed) throw FileError(path, writeFailure(failed.value()));
    target = target.parent_path() / next;
  }
  return target;
}

/// Returns true if data goes straight through, as in a pipe, a terminal or /dev/null, which no file
/// can replace.
bool isStream(fs::file_type type) {
  return type == fs::file_type::fifo || type == fs::file_type::character ||
         type == fs::file_type::block || type == fs::file_type::socket;
}

/// Returns the existing folder that the file belongs in. Throws FileError if the file cannot exist
/// there.
fs::path folderOf(const fs::path& target, const std::string& path) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (typeOf(folder, path) != fs::file_type::directory) {
    throw FileError(path, "the folder " + folder.string() + " does not exist");
  }
  if (typeOf(target, path) == fs::file_type::directory) {
    throw FileError(path, "is a folder; give a file name");
  }
  return folder;
}

/// Writes the bytes of a file into a stream. Throws FileError for `path`.
void pour(const std::string& file, const std::string& path) {
  const int stream = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (stream < 0) throw FileError(path, writeFailure(errno));
  std::ifstream source(file, std::ios::binary);
  std::array<char, 1 << 16> bytes{};
  int failure = 0;
  while (failure == 0 && source) {
    source.read(bytes.data(), std::ssize(bytes));
    for (std::streamsize at = 0; failure == 0 && at < source.gcount();) {
      const ssize_t written =
          ::write(stream, bytes.data() + at, static_cast<std::size_t>(source.gcount() - at));
      if (written > 0) at += written;
      if (written < 0 && errno != EINTR) failure = errno;
    }
  }
  close(stream);
  if (failure != 0) throw FileError(path, writeFailure(failure));
}

}  // namespace

void checkWritable(const std::string& path) {
  if (isStream(typeOf(path, path))) {
    if (access(path.c_str(), W_OK) != 0) throw FileError(path, writeFailure(errno));
    return;
  }
  const fs::path folder = folderOf(targetOf(path), path);
  if (access(folder.c_str(), W_OK) != 0) throw FileError(path, writeFailure(errno));
}

void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write,
                         Durability durability) {
  const bool streams = isStream(typeOf(path, path));
  const fs::path target = targetOf(path);
  const fs::path folder = streams ? fs::temp_directory_path() : folderOf(target, path);
  PartFile part(folder.string(), fs::path(path).filename().string(), path, PartFile::Kind::File);
  write(part.path());
  if (streams) {
    pour(part.path(), path);
    return;
  }
  if (durability == Durability::OnDisk) part.flush();
  part.rename(target.string());
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
