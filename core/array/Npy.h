#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// A float32 array as NumPy stores it: row-major.
struct FloatArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  std::int64_t count() const;
};

/// Reads a .npy file of float16, float32 or float64, C or Fortran order, as float32. Throws
/// FileError for anything else, and never allocates more than the file holds.
FloatArray readNpy(const std::string& path);

/// The shape of a .npy file, of which nothing but the header is read. Throws FileError.
std::vector<std::int64_t> readNpyShape(const std::string& path);

/// Writes float32, version 1.0, through a temporary file that takes the name only when whole.
void writeNpy(const std::string& path, const FloatArray& array);

/// The bytes of a .npy file.
std::string encodeNpy(const FloatArray& array);

}  // namespace softscope
