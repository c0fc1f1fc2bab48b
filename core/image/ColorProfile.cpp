#include "core/image/ColorProfile.h"

#include "core/Error.h"
#include "core/image/EncodedPicture.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace softscope {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t longestName = 40;

/// Returns the text of a profileDescriptionTag of version 2 (ASCII) or 4 (UTF-16, from which only
/// ASCII is kept).
std::string descriptionAt(const EncodedPicture& profile, std::size_t at) {
  std::string name;
  const auto add = [&](std::uint32_t unit) {
    if (unit >= 0x20 && unit < 0x7f) name += static_cast<char>(unit);
  };
  if (profile.holds(at, "desc"sv)) {
    const std::size_t length = std::min<std::size_t>(profile.big32(at + 8), longestName);
    for (const std::uint8_t unit : profile.slice(at + 12, length)) add(unit);
  } else if (profile.holds(at, "mluc"sv) && profile.big32(at + 8) > 0) {
    const std::size_t length = std::min<std::size_t>(profile.big32(at + 20) / 2, longestName);
    const std::size_t begin = at + profile.big32(at + 24);
    for (std::size_t i = 0; i < length; ++i) add(profile.big16(begin + 2 * i));
  }
  return name;
}

std::string descriptionOf(const EncodedPicture& profile) {
  constexpr std::size_t tagTable = 128;
  constexpr std::uint32_t mostTags = 100;
  try {
    const std::uint32_t tags = std::min(profile.big32(tagTable), mostTags);
    for (std::size_t i = 0; i < tags; ++i) {
      const std::size_t entry = tagTable + 4 + 12 * i;
      if (profile.holds(entry, "desc"sv)) return descriptionAt(profile, profile.big32(entry + 4));
    }
  } catch (const PictureError&) {
    // The profile has no readable name.
  }
  return "";
}

/// Recognises sRGB under the names that versions and vendors give it, but not profiles with a
/// different tone curve.
bool isSrgb(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  return (has("srgb") && !has("linear") && !has("scrgb") && !has("g10")) || name == "c2";
}

}  // namespace

std::string unusedProfile(std::span<const std::uint8_t> icc) {
  const std::string name = descriptionOf(EncodedPicture(icc, "profile"));
  if (isSrgb(name)) return "";
  return name.empty() ? "its colour profile" : "its colour profile " + name;
}

}  // namespace softscope
