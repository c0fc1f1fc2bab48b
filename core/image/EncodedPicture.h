#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace softscope {

/// The bytes of a picture file, and the name used in its error messages. Reading beyond the bytes
/// throws an error that the file is cut short. Does not own the bytes.
class EncodedPicture {
 public:
  EncodedPicture(std::span<const std::uint8_t> bytes, std::string name);

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

  std::uint8_t byte(std::size_t offset) const;
  std::uint16_t little16(std::size_t offset) const;
  std::uint32_t little32(std::size_t offset) const;
  std::uint16_t big16(std::size_t offset) const;
  std::uint32_t big32(std::size_t offset) const;

  /// Returns true if `text` is at `offset`; false, without an error, beyond the end.
  bool holds(std::size_t offset, std::string_view text) const;

  /// Returns the `count` bytes from `offset`.
  std::span<const std::uint8_t> slice(std::size_t offset, std::size_t count) const;

  /// Throws PictureError "<name>: <reason>".
  [[noreturn]] void refuse(const std::string& reason) const;
  [[noreturn]] void refuseAsCutShort() const;

 private:
  std::span<const std::uint8_t> bytes_;
  std::string name_;
};

}  // namespace softscope
