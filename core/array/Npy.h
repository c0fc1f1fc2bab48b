#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// A float32 array in row-major order, as NumPy stores it.
struct FloatArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  std::int64_t count() const;
};

/// Reads a .npy file of float16, float32 or float64, in C or Fortran order, as float32. Throws
/// FileError for anything else, and never allocates more than the file holds.
FloatArray readNpy(const std::string& path);

/// Reads a .npy file of uint8, int32 or int64 as float32, which is exact below 2^24. Throws
/// FileError for anything else.
FloatArray readNpyIntegers(const std::string& path);

/// Returns the shape of a .npy file and reads nothing but its header. Throws FileError.
std::vector<std::int64_t> readNpyShape(const std::string& path);

/// Writes float32 in format version 1.0, through a temporary file that takes the name only when it
/// is complete.
void writeNpy(const std::string& path, const FloatArray& array);

/// Returns the array as the bytes of a .npy file.
std::string encodeNpy(const FloatArray& array);

}  // namespace softscope
