#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

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

}  // namespace softscope
