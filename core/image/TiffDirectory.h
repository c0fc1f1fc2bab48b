#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace softscope {

/// A directory of a TIFF or BigTIFF file, of which there is one for every page, and which is also
/// what EXIF blocks are made of. Does not own the bytes it reads.
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

  /// The first one.
  explicit TiffDirectory(std::span<const std::uint8_t> bytes);
  /// The one of a page counted from 1; CutShort where there are fewer.
  TiffDirectory(std::span<const std::uint8_t> bytes, std::uint64_t page);

  State state() const { return state_; }

  /// nullptr where the tag is absent.
  const Entry* find(std::uint16_t tag) const;

  /// The unsigned integer at `index`; nullopt beyond the count and for other types.
  std::optional<std::uint64_t> value(const Entry& entry, std::uint64_t index = 0) const;

  /// The first value of a tag, or `fallback` where there is none.
  std::uint64_t value(std::uint16_t tag, std::uint64_t fallback) const;

  /// How many directories the file has, one after another, up to where the chain breaks off;
  /// nothing where it goes in a circle.
  std::optional<std::uint64_t> pages() const;

  /// The bytes of a value of text, without the zero at its end; empty for other types.
  std::string_view text(std::uint16_t tag) const;

  /// Makes this directory the first of the file that `target` is a copy of.
  void makeFirst(std::span<std::uint8_t> target) const;

  /// `value` in the byte order of the file, `width` bytes wide, into `target` at `offset`.
  void write(std::span<std::uint8_t> target, std::size_t offset, std::size_t width,
             std::uint64_t value) const;

 private:
  bool readMark();
  /// As many as fit into the bytes one beside another.
  std::uint64_t mostPages() const;
  State readEntries();
  std::size_t startPlace() const { return bigTiff_ ? 8 : 4; }
  std::size_t wordWidth() const { return bigTiff_ ? 8 : 4; }
  /// Where the directory after the one at `start` begins: 0 after the last; nothing where that is
  /// cut short.
  std::optional<std::uint64_t> next(std::uint64_t start) const;
  bool readEntry(std::size_t offset);
  std::optional<std::uint64_t> integer(std::size_t offset, std::size_t width) const;

  std::span<const std::uint8_t> bytes_;
  bool bigEndian_ = false;
  bool bigTiff_ = false;
  std::uint64_t start_ = 0;  ///< of the directory in the bytes
  std::vector<Entry> entries_;
  State state_ = State::NotTiff;
};

}  // namespace softscope
