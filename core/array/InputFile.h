#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace softscope {

/// A regular file open for reading, whose size is known before anything is allocated for it.
class InputFile {
 public:
  /// Throws Malformed for a missing file, a folder, a device, or one that may not be read.
  explicit InputFile(const std::string& path);

  std::uint64_t size() const { return size_; }
  /// Fills `destination` from `offset`. Throws Malformed where the file ends before that.
  void read(std::uint64_t offset, void* destination, std::size_t count);
  /// Up to `count` bytes from the start.
  std::string head(std::size_t count);

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

}  // namespace softscope
