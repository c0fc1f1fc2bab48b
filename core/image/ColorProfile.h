#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace softscope {

/// `its colour profile Display P3`, for a picture with an ICC profile whose colours are then not
/// what they are taken for; empty for sRGB, which pictures are taken for.
std::string unusedProfile(std::span<const std::uint8_t> icc);

}  // namespace softscope
