#include "core/machine/ProcessMemory.h"
#include "core/network/MemoryReserve.h"
#include "core/tensor/TorchErrors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

namespace softscope {
namespace {

TEST(MemoryReserve, RefusesABlockThatIsPromisedButNotThere) {
  // Just less than what Linux takes for impossible.
  const std::int64_t nearlyAll = machineBytes() - (std::int64_t{16} << 20);
  if (availableBytesWithSwap() == 0 || availableBytesWithSwap() >= nearlyAll) {
    GTEST_SKIP() << "the system does not say what is left, or may swap";
  }
  keepMemoryReserve();
  try {
    torch::empty({nearlyAll}, torch::kByte);
    FAIL() << nearlyAll << " bytes were promised";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("not enough memory"));
  }
  EXPECT_EQ(torch::ones({std::int64_t{100} << 20}, torch::kByte).sum().item<std::int64_t>(),
            std::int64_t{100} << 20);
}

}  // namespace
}  // namespace softscope
