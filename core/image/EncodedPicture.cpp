#include "core/image/EncodedPicture.h"

#include "core/Error.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace softscope {

EncodedPicture::EncodedPicture(std::span<const std::uint8_t> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {}

std::uint8_t EncodedPicture::byte(std::size_t offset) const {
  return slice(offset, 1)[0];
}

std::uint16_t EncodedPicture::little16(std::size_t offset) const {
  const auto b = slice(offset, 2);
  return static_cast<std::uint16_t>(b[0] | b[1] << 8);
}

std::uint32_t EncodedPicture::little32(std::size_t offset) const {
  return little16(offset) | static_cast<std::uint32_t>(little16(offset + 2)) << 16;
}

std::uint16_t EncodedPicture::big16(std::size_t offset) const {
  const auto b = slice(offset, 2);
  return static_cast<std::uint16_t>(b[0] << 8 | b[1]);
}

std::uint32_t EncodedPicture::big32(std::size_t offset) const {
  return static_cast<std::uint32_t>(big16(offset)) << 16 | big16(offset + 2);
}

bool EncodedPicture::holds(std::size_t offset, std::string_view text) const {
  if (offset > size() || text.size() > size() - offset) return false;
  return std::equal(text.begin(), text.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset),
                    [](char c, std::uint8_t b) { return static_cast<std::uint8_t>(c) == b; });
}

std::span<const std::uint8_t> EncodedPicture::slice(std::size_t offset, std::size_t count) const {
  if (offset > size() || count > size() - offset) refuseAsCutShort();
  return bytes_.subspan(offset, count);
}

void EncodedPicture::refuse(const std::string& reason) const {
  throw PictureError(name_, reason);
}

void EncodedPicture::refuseAsCutShort() const {
  refuse("is cut short: the end of the picture is missing");
}

}  // namespace softscope
