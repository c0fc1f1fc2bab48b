#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace softscope {

/// A directory of a TIFF or BigTIFF file. There is one per page, and EXIF blocks have the same
/// form. Does not own the bytes it reads.
class TiffDirectory {
 public:
  struct Entry {
    std::uint16_t tag = 0;
    std::uint16_t type = 0;
    std::uint64_t count = 0;
    std::size_t offset = 0;       ///< offset of the entry itself
    std::size_t valueOffset = 0;  ///< offset of the values, all of which lie inside the bytes
  };

  /// The outcome of reading: tells a directory that is cut short from bytes that are not TIFF at
  /// all.
  enum class State { Whole, CutShort, NotTiff };

  /// Reads the first directory.
  explicit TiffDirectory(std::span<const std::uint8_t> bytes);
  /// Reads the directory of a page, counted from 1; CutShort if there are fewer pages.
  TiffDirectory(std::span<const std::uint8_t> bytes, std::uint64_t page);

  State state() const { return state_; }

  /// Returns the entry with this tag, or nullptr.
  const Entry* find(std::uint16_t tag) const;

  /// Returns the integer at `index`; nullopt beyond the count, for negative ones and for other
  /// types.
  std::optional<std::uint64_t> value(const Entry& entry, std::uint64_t index = 0) const;

  /// Returns the first value of a tag, or `fallback` if the tag is missing.
  std::uint64_t value(std::uint16_t tag, std::uint64_t fallback) const;

  /// Counts the directories of the file up to where the chain ends or breaks off; returns nothing
  /// if it is circular.
  std::optional<std::uint64_t> pages() const;

  /// Returns the bytes of a text value without the zero at its end; empty for other types.
  std::string_view text(std::uint16_t tag) const;

  /// Edits `target`, a copy of this file, so that this directory becomes its first.
  void makeFirst(std::span<std::uint8_t> target) const;

  /// Edits `target`, a copy of this file, so that the tag, if it exists, has one value: `value`.
  void setValue(std::span<std::uint8_t> target, std::uint16_t tag, std::uint32_t value) const;

 private:
  /// Writes `value` into `target` at `offset`, `width` bytes wide, in the byte order of the file.
  void write(std::span<std::uint8_t> target, std::size_t offset, std::size_t width,
             std::uint64_t value) const;
  bool readMark();
  /// Returns how many directories fit side by side into the bytes.
  std::uint64_t mostPages() const;
  State readEntries();
  std::size_t startPlace() const { return bigTiff_ ? 8 : 4; }
  std::size_t wordWidth() const { return bigTiff_ ? 8 : 4; }
  /// Returns the start of the directory after the one at `start`: 0 after the last; nothing if that
  /// is cut short.
  std::optional<std::uint64_t> next(std::uint64_t start) const;
  bool readEntry(std::size_t offset);
  std::optional<std::uint64_t> integer(std::size_t offset, std::size_t width) const;

  std::span<const std::uint8_t> bytes_;
  bool bigEndian_ = false;
  bool bigTiff_ = false;
  std::uint64_t start_ = 0;  ///< offset of this directory in the bytes
  std::vector<Entry> entries_;
  State state_ = State::NotTiff;
};

}  // namespace softscope
