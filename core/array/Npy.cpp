#include "core/array/Npy.h"

#include "core/AtomicFile.h"
#include "core/Error.h"
#include "core/array/InputFile.h"
#include "core/array/Malformed.h"
#include "core/array/NpyFormat.h"

#include <new>

namespace softscope {

std::int64_t FloatArray::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

FloatArray readNpy(const std::string& path) {
  try {
    InputFile file(path);
    std::string bytes(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, bytes.data(), bytes.size());
    return decodeNpy(bytes);
  } catch (const Malformed& malformed) {
    throw FileError(path, malformed.what());
  } catch (const std::bad_alloc&) {
    throw FileError(path, "does not fit in memory");
  }
}

void writeNpy(const std::string& path, const FloatArray& array) {
  writeFileAtomically(path, encodeNpy(array));
}

}  // namespace softscope
