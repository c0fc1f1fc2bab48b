#include "tests/fuzz/Mutation.h"

#include <algorithm>

// Changes the header of a .npy file, version 1, together with its length.

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace softscope::fuzz;
  constexpr std::size_t start = 10;
  constexpr std::size_t lengthOffset = 8;
  Random random(seed);
  const std::string file(reinterpret_cast<const char*>(data), size);
  if (size < start || random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t length = std::min<std::uint64_t>(numberAt(file, lengthOffset, 2), size - start);
  const std::string header =
      mutated(file.substr(start, length), length + (most > size ? most - size : 0));
  if (header.size() > 0xffff) return size;
  return store(file.substr(0, lengthOffset) + numberBytes(header.size(), 2) + header +
                   file.substr(start + length),
               data, size, most);
}
