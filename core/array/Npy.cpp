#include "core/array/Npy.h"

#include "core/Error.h"
#include "core/array/NpyFormat.h"
#include "core/files/AtomicFile.h"
#include "core/files/InputFile.h"
#include "core/files/Malformed.h"

#include <algorithm>
#include <new>

namespace softscope {

std::int64_t FloatArray::count() const {
  // Checked first, because the product of the other extents may overflow.
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

namespace {

/// Calls `read` for a file, and names the file in its errors.
template <typename Read>
FloatArray readNamed(const std::string& path, const Read& read) {
  try {
    InputFile file(path);
    return read(file);
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw FileError(path, "does not fit in memory");
  }
}

}  // namespace

FloatArray readNpy(const std::string& path) {
  return readNamed(path, readNpyArray);
}

FloatArray readNpyIntegers(const std::string& path) {
  return readNamed(path, readNpyIntegerArray);
}

std::vector<std::int64_t> readNpyShape(const std::string& path) {
  try {
    InputFile file(path);
    return readNpyHeader(file).shape;
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  }
}

void writeNpy(const std::string& path, const FloatArray& array) {
  writeFileAtomically(path, encodeNpy(array));
}

}  // namespace softscope
