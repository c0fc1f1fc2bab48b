#include "tests/fuzz/Mutation.h"

#include <algorithm>

// Changes the header, and then mostly the length in front of it, which else would seldom fit.

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace softscope::fuzz;
  constexpr std::size_t lengthBytes = 8;
  Random random(seed);
  const std::string file(reinterpret_cast<const char*>(data), size);
  if (size < lengthBytes || random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t length =
      std::min<std::uint64_t>(numberAt(file, 0, lengthBytes), size - lengthBytes);
  const std::string header =
      mutated(file.substr(lengthBytes, length), length + (most > size ? most - size : 0));
  return store(numberBytes(header.size(), lengthBytes) + header + file.substr(lengthBytes + length),
               data, size, most);
}
