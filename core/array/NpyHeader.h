#pragma once

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

}  // namespace softscope
