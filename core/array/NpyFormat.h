#pragma once

#include "core/array/Npy.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace softscope {

class InputFile;

/// The header in front of a .npy file's values.
struct NpyHeader {
  std::string type;  ///< NumPy's name for the type of the values: `<f4`
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;
  std::size_t dataOffset = 0;
};

/// Reads a header of version 1, 2 or 3. Throws Malformed.
NpyHeader parseNpyHeader(std::string_view bytes);

/// Reads the header at the beginning of a file, and nothing after it. Throws Malformed.
NpyHeader readNpyHeader(InputFile& file);

class InputFile;

/// Returns the header in front of row-major values of a type, given by NumPy's name (`<f4`):
/// version 1.0, padded as NumPy's own writer does.
std::string npyHeader(const std::string& type, const std::vector<std::int64_t>& shape);

/// Returns the bytes of a .npy file of texts, which must be valid UTF-8: a list of them, or a
/// single text as a scalar if `isList` is false.
std::string encodeNpyTexts(const std::vector<std::string>& texts, bool isList = true);

/// Returns the array in the bytes of a .npy file. Throws Malformed.
FloatArray decodeNpy(std::string_view bytes);

/// Reads the array of a .npy file, and nothing beyond it. Throws Malformed.
FloatArray readNpyArray(InputFile& file);

/// Reads the array of a .npy file of integers, of the types `|u1`, `<i4` and `<i8`, as float32, and
/// nothing beyond it. Throws Malformed.
FloatArray readNpyIntegerArray(InputFile& file);

}  // namespace softscope
