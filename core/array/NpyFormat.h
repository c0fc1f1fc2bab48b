#pragma once

#include "core/array/Npy.h"

#include <string_view>

namespace softscope {

/// The array that the bytes of a .npy file hold. Throws Malformed.
FloatArray decodeNpy(std::string_view bytes);

}  // namespace softscope
