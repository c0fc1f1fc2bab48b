#include "core/checkpoint/ByteCursor.h"

#include "core/files/InputFile.h"
#include "core/files/Malformed.h"

#include <algorithm>
#include <utility>

namespace softscope {

ByteCursor::ByteCursor(std::string bytes) : buffer_(std::move(bytes)), end_(buffer_.size()) {}

ByteCursor::ByteCursor(InputFile& file, std::uint64_t offset)
    : file_(&file), bufferStart_(offset), end_(file.size()) {
  if (offset > end_) throw Malformed("is truncated");
}

void ByteCursor::require(std::uint64_t count) const {
  if (count > remaining()) {
    throw Malformed("is truncated: its pickle data ends too early; fetch it again");
  }
}

void ByteCursor::refill() {
  if (next_ < buffer_.size()) return;
  constexpr std::uint64_t largestPiece = 64 * 1024;
  bufferStart_ += buffer_.size();
  next_ = 0;
  buffer_.resize(static_cast<std::size_t>(std::min(largestPiece, end_ - bufferStart_)));
  file_->read(bufferStart_, buffer_.data(), buffer_.size());
}

std::uint8_t ByteCursor::byte() {
  require(1);
  refill();
  return static_cast<std::uint8_t>(buffer_[next_++]);
}

std::uint64_t ByteCursor::littleEndian(int count) {
  std::uint64_t value = 0;
  for (int index = 0; index < count; ++index) {
    value |= static_cast<std::uint64_t>(byte()) << (8 * index);
  }
  return value;
}

std::string ByteCursor::take(std::uint64_t count) {
  require(count);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(count));
  while (bytes.size() < count) {
    refill();
    const std::size_t piece =
        std::min(static_cast<std::size_t>(count) - bytes.size(), buffer_.size() - next_);
    bytes.append(buffer_, next_, piece);
    next_ += piece;
  }
  return bytes;
}

std::string ByteCursor::line() {
  std::string text;
  while (true) {
    require(1);
    refill();
    const std::size_t end = buffer_.find('\n', next_);
    text.append(buffer_, next_, std::min(end, buffer_.size()) - next_);
    next_ = std::min(end, buffer_.size());
    if (end == std::string::npos) continue;
    ++next_;
    return text;
  }
}

void ByteCursor::skip(std::uint64_t count) {
  require(count);
  const std::uint64_t target = position() + count;
  if (target - bufferStart_ <= buffer_.size()) {
    next_ = static_cast<std::size_t>(target - bufferStart_);
    return;
  }
  bufferStart_ = target;
  buffer_.clear();
  next_ = 0;
}

}  // namespace softscope
