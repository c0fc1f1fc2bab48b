#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace softscope {

/// Returns `its colour profile Display P3` if a picture has an ICC profile other than sRGB; its
/// colours are then misread, because all pictures are taken for sRGB. Empty for sRGB.
std::string unusedProfile(std::span<const std::uint8_t> icc);

}  // namespace softscope
