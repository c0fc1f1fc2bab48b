#include "core/files/InputFile.h"

#include "core/files/Malformed.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>

namespace softscope {

namespace {

/// Returns the size of a regular file. Anything else is refused before it is opened, because
/// opening a pipe would wait for its writer.
std::uint64_t regularFileSize(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) throw Malformed("no such file");
  if (failure) throw Malformed("cannot be opened: " + failure.message());
  if (fs::is_directory(status)) throw Malformed("is a folder; give a file");
  if (!fs::is_regular_file(status)) throw Malformed("is not a regular file");
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) throw Malformed("cannot be opened: " + failure.message());
  return size;
}

}  // namespace

InputFile::InputFile(const std::string& path) : size_(regularFileSize(path)) {
  errno = 0;
  stream_.open(path, std::ios::binary);
  if (!stream_) throw Malformed(std::string("cannot be opened: ") + std::strerror(errno));
}

void InputFile::read(std::uint64_t offset, void* destination, std::size_t count) {
  if (offset > size_ || count > size_ - offset) throw Malformed("is truncated");
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(static_cast<char*>(destination), static_cast<std::streamsize>(count));
  if (!stream_ || stream_.gcount() != static_cast<std::streamsize>(count)) {
    throw Malformed("cannot be read to its end");
  }
}

std::string InputFile::head(std::size_t count) {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(count, size_)), '\0');
  read(0, bytes.data(), bytes.size());
  return bytes;
}

std::string wholeFile(const std::string& path, std::uint64_t longest, const char* tooLong) {
  InputFile file(path);
  if (file.size() > longest) throw Malformed(tooLong);
  return file.head(static_cast<std::size_t>(file.size()));
}

std::optional<FileIdentity> fileIdentity(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

}  // namespace softscope
