#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

/// A regular file open for reading, whose size is known before anything is allocated for it.
class InputFile {
 public:
  /// Throws Malformed if the file is missing, is a folder or a device, or may not be read.
  explicit InputFile(const std::string& path);

  std::uint64_t size() const { return size_; }
  /// Fills `destination` from `offset`. Throws Malformed if the file ends too early.
  void read(std::uint64_t offset, void* destination, std::size_t count);
  /// Returns up to `count` bytes from the start.
  std::string head(std::size_t count);

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

/// Returns the content of a regular file. Throws Malformed, with `tooLong` if it has more than
/// `longest` bytes.
std::string wholeFile(const std::string& path, std::uint64_t longest, const char* tooLong);

/// Device and number of a file or folder, by which all of its names and links are known as one.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

/// Returns nothing if there is no file.
std::optional<FileIdentity> fileIdentity(const std::string& path);

}  // namespace softscope
