#include "core/machine/ProcessMemory.h"
#include "core/network/Device.h"
#include "core/tensor/TorchErrors.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <thread>

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

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DeviceTest : public testing::Test {
 protected:
  ~DeviceTest() override { at::set_num_threads(before_); }

  const int cores_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));

 private:
  const int before_ = at::get_num_threads();
};

TEST_F(DeviceTest, NoMoreThreadsAreTakenThanThereAreCores) {
  setComputeThreads(1024);
  EXPECT_EQ(at::get_num_threads(), cores_);
}

TEST_F(DeviceTest, FewerAreTakenAsAsked) {
  setComputeThreads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  setComputeThreads(0);
  EXPECT_EQ(at::get_num_threads(), cores_);
}

TEST_F(DeviceTest, ThatIsMissingIsToldByWhatLacks) {
  const ComputeDevice cpu{.name = "cpu", .product = {}, .memory = 16ll << 30, .free = -1};
  const ComputeDevice gpu{.name = "cuda:0", .product = "A100", .memory = 40ll << 30, .free = 0};
  EXPECT_THAT(missingDeviceText("cuda", {cpu}, false),
              HasSubstr("found: cpu · 16.0 GiB (this LibTorch was built without CUDA)"));
  const std::string noGpu = missingDeviceText("cuda", {cpu}, true);
  EXPECT_THAT(noGpu, HasSubstr("has CUDA, but no GPU answers it"));
  EXPECT_THAT(noGpu, Not(HasSubstr("without CUDA")));
  const std::string another = missingDeviceText("cuda:3", {cpu, gpu}, true);
  EXPECT_THAT(another, HasSubstr("found: cpu · 16.0 GiB; cuda:0 · A100, 40.0 GiB, 0.0 GiB free. "
                                 "Use one of these"));
  EXPECT_THAT(another, Not(HasSubstr("no GPU")));
}

TEST_F(DeviceTest, TheCpuIsThereWithItsMemory) {
  const ComputeDevice cpu = availableDevices().front();
  EXPECT_EQ(cpu.name, "cpu");
  EXPECT_GT(cpu.free, 0);
  EXPECT_GT(cpu.memory, cpu.free);
}

TEST_F(DeviceTest, MemoryThatIsNotKnownIsSaidToBe) {
  EXPECT_EQ(deviceText({.name = "cuda:1", .product = "A100"}), "cuda:1 · A100, memory not known");
}

}  // namespace
}  // namespace softscope
