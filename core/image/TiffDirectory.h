#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace softscope {

/// The first directory of a TIFF or BigTIFF file, which is also what EXIF blocks are made of. Does
/// not own the bytes it reads.
class TiffDirectory {
 public:
  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t type = 0;
    std::uint64_t count = 0;
    std::size_t valueOffset = 0;  ///< where in the bytes the values stand, all of them inside
  };

  /// What `read` found: a directory cut short is told from bytes that are no TIFF at all.
  enum class State { Whole, CutShort, NotTiff };

  explicit TiffDirectory(std::span<const std::uint8_t> bytes);

  State state() const { return state_; }

  /// nullptr where the tag is absent.
  const Entry* find(std::uint16_t tag) const;

  /// The unsigned integer at `index`; nullopt beyond the count and for other types.
  std::optional<std::uint64_t> value(const Entry& entry, std::uint64_t index = 0) const;

  /// The first value of a tag, or `fallback` where there is none.
  std::uint64_t value(std::uint16_t tag, std::uint64_t fallback) const;

  /// `value` in the byte order of the file, `width` bytes wide, into `target` at `offset`.
  void write(std::span<std::uint8_t> target, std::size_t offset, std::size_t width,
             std::uint64_t value) const;

 private:
  State readEntries();
  bool readEntry(std::size_t offset);
  std::optional<std::uint64_t> integer(std::size_t offset, std::size_t width) const;

  std::span<const std::uint8_t> bytes_;
  bool bigEndian_ = false;
  bool bigTiff_ = false;
  std::vector<Entry> entries_;
  State state_ = State::NotTiff;
};

}  // namespace softscope
