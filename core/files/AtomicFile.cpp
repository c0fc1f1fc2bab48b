#include "core/files/AtomicFile.h"

#include "core/Error.h"
#include "core/files/PartFile.h"
#include "core/text/Words.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

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

/// An open file that a path names by the number of its descriptor, as /dev/stdout, /dev/fd/3 and
/// /proc/self/fd/3 do.
struct NamedDescriptor {
  int number = 0;
  /// False if another process has opened it.
  bool isOwn = true;
};

/// Returns the descriptor that a path names without following its last link; nothing if it names
/// none.
std::optional<NamedDescriptor> descriptorAt(const fs::path& place) {
  std::error_code failed;
  const fs::path folder =
      fs::canonical(place.has_parent_path() ? place.parent_path() : fs::path("."), failed);
  if (failed || folder.filename() != "fd" || !folder.string().starts_with("/proc/")) return {};
  const auto number = parseNumber<int>(place.filename().string());
  if (!number || *number < 0) return {};
  NamedDescriptor descriptor;
  descriptor.number = *number;
  const std::string own = fs::canonical("/proc/self", failed).string() + "/";
  descriptor.isOwn = !failed && folder.string().starts_with(own);
  return descriptor;
}

/// Where a path leads to through symbolic links. The links stay.
struct Target {
  /// Need not exist.
  fs::path file;
  /// Set if a link on the way stands for an open file: what is written then goes where that is
  /// open, after what it holds, and no other file may take its name.
  std::optional<NamedDescriptor> descriptor;
};

Target targetOf(const std::string& path) {
  // The system would take the name up to there, and so write another file.
  if (path.find('\0') != std::string::npos) {
    throw FileError(path.substr(0, path.find('\0')),
                    "cannot be written: its name goes on after a null character");
  }
  // The limit that the system itself sets.
  constexpr int mostLinks = 40;
  Target target{path, {}};
  std::error_code failed;
  for (int i = 0; i < mostLinks; ++i) {
    target.descriptor = descriptorAt(target.file);
    if (target.descriptor || !fs::is_symlink(fs::symlink_status(target.file, failed))) break;
    const fs::path next = fs::read_symlink(target.file, failed);
    if (failed) throw FileError(path, writeFailure(failed.value()));
    target.file = target.file.parent_path() / next;
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

/// Returns true if the target is no file that another can replace.
bool isStream(const Target& target, const std::string& path) {
  return target.descriptor || isStream(typeOf(path, path));
}

/// A stream that is open to be written.
class OpenStream {
 public:
  /// Throws FileError for `path`.
  OpenStream(const Target& target, std::string path)
      : path_(std::move(path)), number_(opened(target, path_)) {
    if (number_ < 0) throw FileError(path_, writeFailure(errno));
  }
  ~OpenStream() { close(number_); }
  OpenStream(const OpenStream&) = delete;
  OpenStream& operator=(const OpenStream&) = delete;

  /// Writes the bytes of a file. Throws FileError.
  void pour(const std::string& file) const {
    std::ifstream source(file, std::ios::binary);
    std::array<char, 1 << 16> bytes{};
    while (source) {
      source.read(bytes.data(), std::ssize(bytes));
      write({bytes.data(), static_cast<std::size_t>(source.gcount())});
    }
  }

 private:
  static int opened(const Target& target, const std::string& path) {
    if (!target.descriptor) return open(path.c_str(), O_WRONLY | O_CLOEXEC);
    // To open it again would begin at the start of the file instead of where it is open.
    if (target.descriptor->isOwn) return fcntl(target.descriptor->number, F_DUPFD_CLOEXEC, 0);
    return open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
      if (written < 0 && errno != EINTR) throw FileError(path_, writeFailure(errno));
    }
  }

  std::string path_;
  int number_;
};

/// Throws FileError for `path` if the file is there and write-protected.
void requireUnprotected(const fs::path& file, const std::string& path) {
  if (access(file.c_str(), W_OK) != 0 && errno != ENOENT) {
    throw FileError(path, writeFailure(errno));
  }
}

bool takesTemporaryFiles(const char* folder) {
  std::error_code failed;
  return fs::is_directory(folder, failed) && access(folder, W_OK | X_OK) == 0;
}

void requireWritableStream(const Target& target, const std::string& path) {
  if (!target.descriptor || !target.descriptor->isOwn) {
    if (access(path.c_str(), W_OK) != 0) throw FileError(path, writeFailure(errno));
    return;
  }
  const int flags = fcntl(target.descriptor->number, F_GETFL);
  if (flags < 0) throw FileError(path, writeFailure(errno));
  if ((flags & O_ACCMODE) == O_RDONLY) throw FileError(path, writeFailure(EBADF));
}

}  // namespace

bool isStreamPath(const std::string& path) {
  return isStream(targetOf(path), path);
}

void checkWritable(const std::string& path) {
  const Target target = targetOf(path);
  if (isStream(target, path)) {
    requireWritableStream(target, path);
    return;
  }
  const fs::path folder = folderOf(target.file, path);
  if (access(folder.c_str(), W_OK) != 0) throw FileError(path, writeFailure(errno));
  requireUnprotected(target.file, path);
}

void writeFileAtomically(const std::string& path,
                         const std::function<void(const std::string& temporaryPath)>& write,
                         Durability durability) {
  const Target target = targetOf(path);
  // Opened before any other file, which would take the number of a descriptor that is closed.
  std::optional<OpenStream> stream;
  if (isStream(target, path)) stream.emplace(target, path);
  const fs::path folder = stream ? fs::path(temporaryFolder()) : folderOf(target.file, path);
  if (!stream) requireUnprotected(target.file, path);
  PartFile part(folder.string(), fs::path(path).filename().string(),
                stream ? path + ": a temporary file in " + folder.string() + " (see TMPDIR)" : path,
                PartFile::Kind::File);
  // A private file stays private while it is being written.
  if (!stream) copyPermissions(target.file.string(), part.path(), S_IRUSR | S_IWUSR);
  write(part.path());
  if (stream) {
    // The stream may be standard output, and what was printed before comes before.
    std::cout.flush();
    stream->pour(part.path());
    return;
  }
  if (durability == Durability::OnDisk) part.flush();
  part.rename(target.file.string());
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

std::string temporaryFolder() {
  // Python looks in the same places, and connects to the window's socket there.
  for (const char* variable : {"TMPDIR", "TEMP", "TMP"}) {
    const char* named = std::getenv(variable);
    if (named != nullptr && takesTemporaryFiles(named)) return named;
  }
  return !takesTemporaryFiles("/tmp") && takesTemporaryFiles("/var/tmp") ? "/var/tmp" : "/tmp";
}

std::string temporaryPattern() {
  return temporaryFolder() + "/softscope-XXXXXX";
}

}  // namespace softscope
