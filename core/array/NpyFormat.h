#pragma once

#include "core/array/Npy.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

class InputFile;

/// What stands in front of row-major values of a type by NumPy's name (`<f4`): version 1.0, padded
/// as NumPy's own writer does.
std::string npyHeader(const std::string& type, const std::vector<std::int64_t>& shape);

/// The bytes of a .npy file of texts, which are valid UTF-8: a list of them, or the only one as it
/// is.
std::string encodeNpyTexts(const std::vector<std::string>& texts, bool isList = true);

/// The array that the bytes of a .npy file hold. Throws Malformed.
FloatArray decodeNpy(std::string_view bytes);

/// The array of a .npy file, of which no more is read than belongs to it. Throws Malformed.
FloatArray readNpyArray(InputFile& file);

}  // namespace softscope
