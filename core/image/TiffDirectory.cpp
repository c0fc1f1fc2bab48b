#include "core/image/TiffDirectory.h"

#include <algorithm>

namespace softscope {
namespace {

/// Returns the bytes per value of a TIFF field type; 0 for an unknown type.
std::size_t typeSize(std::uint16_t type) {
  switch (type) {
    case 1:
    case 2:
    case 6:
    case 7:
      return 1;  // byte, text, signed byte, undefined
    case 3:
    case 8:
      return 2;  // short
    case 4:
    case 9:
    case 11:
    case 13:
      return 4;  // long, float, directory
    case 5:
    case 10:
    case 12:
    case 16:
    case 17:
    case 18:
      return 8;  // rational, double, long8
    default:
      return 0;
  }
}

constexpr std::uint16_t longType = 4;

bool isUnsigned(std::uint16_t type) {
  return type == 1 || type == 3 || type == longType || type == 13 || type == 16 || type == 18;
}

/// Writers other than the usual ones use signed types too, and decoders read them.
bool isSigned(std::uint16_t type) {
  return type == 6 || type == 8 || type == 9 || type == 17;
}

}  // namespace

TiffDirectory::TiffDirectory(std::span<const std::uint8_t> bytes) : TiffDirectory(bytes, 1) {}

TiffDirectory::TiffDirectory(std::span<const std::uint8_t> bytes, std::uint64_t page)
    : bytes_(bytes) {
  if (!readMark()) return;
  state_ = State::CutShort;
  auto start = integer(startPlace(), wordWidth());
  // More directories than fit in the file must overlap, so the chain is circular.
  for (std::uint64_t i = 1; i < page; ++i) {
    if (i > mostPages() || !start) return;
    start = next(*start);
    if (start == 0) return;
  }
  if (!start) return;
  start_ = *start;
  state_ = readEntries();
}

bool TiffDirectory::readMark() {
  if (bytes_.size() < 8 || bytes_[0] != bytes_[1] || (bytes_[0] != 'I' && bytes_[0] != 'M')) {
    return false;
  }
  bigEndian_ = bytes_[0] == 'M';
  const auto magic = integer(2, 2);
  bigTiff_ = magic == 43;
  return magic == 42 || magic == 43;
}

TiffDirectory::State TiffDirectory::readEntries() {
  if (start_ > bytes_.size()) return State::CutShort;
  const std::size_t countWidth = bigTiff_ ? 8 : 2;
  const std::size_t entryWidth = bigTiff_ ? 20 : 12;
  const auto count = integer(start_, countWidth);
  if (!count) return State::CutShort;
  const std::size_t first = start_ + countWidth;
  if (*count > (bytes_.size() - first) / entryWidth) return State::CutShort;
  entries_.reserve(*count);
  State state = State::Whole;
  for (std::size_t i = 0; i < *count; ++i) {
    if (!readEntry(first + i * entryWidth)) state = State::CutShort;
  }
  return state;
}

std::optional<std::uint64_t> TiffDirectory::next(std::uint64_t start) const {
  const std::size_t countWidth = bigTiff_ ? 8 : 2;
  const std::size_t entryWidth = bigTiff_ ? 20 : 12;
  const auto count = integer(start, countWidth);
  if (!count || *count > bytes_.size() / entryWidth) return std::nullopt;
  return integer(start + countWidth + *count * entryWidth, wordWidth());
}

std::uint64_t TiffDirectory::mostPages() const {
  constexpr std::uint64_t smallestDirectory = 18;
  return bytes_.size() / smallestDirectory;
}

std::optional<std::uint64_t> TiffDirectory::pages() const {
  std::uint64_t count = 0;
  auto start = integer(startPlace(), wordWidth());
  while (start && *start != 0) {
    if (count > mostPages()) return std::nullopt;
    start = next(*start);
    if (start) ++count;
  }
  return std::max<std::uint64_t>(count, 1);
}

std::string_view TiffDirectory::text(std::uint16_t tag) const {
  constexpr std::uint16_t ascii = 2;
  const Entry* entry = find(tag);
  if (!entry || entry->type != ascii) return {};
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()) + entry->valueOffset,
                             entry->count);
  return all.substr(0, all.find('\0'));
}

void TiffDirectory::makeFirst(std::span<std::uint8_t> target) const {
  write(target, startPlace(), wordWidth(), start_);
}

bool TiffDirectory::readEntry(std::size_t offset) {
  Entry entry;
  entry.offset = offset;
  entry.tag = static_cast<std::uint16_t>(*integer(offset, 2));
  entry.type = static_cast<std::uint16_t>(*integer(offset + 2, 2));
  entry.count = *integer(offset + 4, wordWidth());
  const std::size_t size = typeSize(entry.type);
  if (size == 0) return true;  // An unknown, possibly newer type is not checked.
  if (entry.count > bytes_.size() / size) return false;
  const std::size_t inlineOffset = offset + 4 + wordWidth();
  const std::size_t length = entry.count * size;
  const auto far = *integer(inlineOffset, wordWidth());
  if (length <= wordWidth()) {
    entry.valueOffset = inlineOffset;
  } else if (far > bytes_.size() || length > bytes_.size() - far) {
    return false;
  } else {
    entry.valueOffset = far;
  }
  entries_.push_back(entry);
  return true;
}

const TiffDirectory::Entry* TiffDirectory::find(std::uint16_t tag) const {
  const auto found = std::ranges::find(entries_, tag, &Entry::tag);
  return found == entries_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> TiffDirectory::value(const Entry& entry, std::uint64_t index) const {
  if (index >= entry.count) return std::nullopt;
  if (!isUnsigned(entry.type) && !isSigned(entry.type)) return std::nullopt;
  const std::size_t size = typeSize(entry.type);
  const auto stored = integer(entry.valueOffset + index * size, size);
  const bool isNegative = isSigned(entry.type) && stored && *stored >> (8 * size - 1) != 0;
  return isNegative ? std::nullopt : stored;
}

std::uint64_t TiffDirectory::value(std::uint16_t tag, std::uint64_t fallback) const {
  const Entry* entry = find(tag);
  return entry ? value(*entry).value_or(fallback) : fallback;
}

void TiffDirectory::setValue(std::span<std::uint8_t> target, std::uint16_t tag,
                             std::uint32_t value) const {
  const Entry* entry = find(tag);
  if (!entry) return;
  // Decoders read any tag of integers as this type, whichever the file has.
  write(target, entry->offset + 2, 2, longType);
  write(target, entry->offset + 4, wordWidth(), 1);
  write(target, entry->offset + 4 + wordWidth(), 4, value);
}

void TiffDirectory::write(std::span<std::uint8_t> target, std::size_t offset, std::size_t width,
                          std::uint64_t value) const {
  for (std::size_t i = 0; i < width; ++i) {
    target[offset + (bigEndian_ ? width - 1 - i : i)] = static_cast<std::uint8_t>(value >> 8 * i);
  }
}

std::optional<std::uint64_t> TiffDirectory::integer(std::size_t offset, std::size_t width) const {
  if (offset > bytes_.size() || width > bytes_.size() - offset) return std::nullopt;
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < width; ++i) {
    result = result << 8 | bytes_[offset + (bigEndian_ ? i : width - 1 - i)];
  }
  return result;
}

}  // namespace softscope
