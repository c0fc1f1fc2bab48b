#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace softscope {

class InputFile;

/// Reads bytes in order from memory or from a file, and never past their end. Throws Malformed if
/// too few are left.
class ByteCursor {
 public:
  explicit ByteCursor(std::string bytes);
  /// Reads `file` in pieces; the file must outlive the cursor.
  ByteCursor(InputFile& file, std::uint64_t offset);

  std::uint64_t position() const { return bufferStart_ + next_; }
  std::uint64_t remaining() const { return end_ - position(); }

  std::uint8_t byte();
  /// Reads an unsigned little-endian number of `count` bytes, at most 8.
  std::uint64_t littleEndian(int count);
  std::string take(std::uint64_t count);
  /// Reads up to the next line feed, which is consumed but not returned.
  std::string line();
  void skip(std::uint64_t count);

 private:
  void require(std::uint64_t count) const;
  void refill();

  InputFile* file_ = nullptr;
  std::string buffer_;
  std::uint64_t bufferStart_ = 0;
  std::size_t next_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace softscope
