#include "tests/fuzz/Mutation.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  softscope::fuzz::Random random(seed);
  const std::string pickle(reinterpret_cast<const char*>(data), size);
  return softscope::fuzz::store(softscope::fuzz::mutatedPickle(pickle, random, most), data, size,
                                most);
}
