#include "core/machine/ComputeDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

namespace softscope {
namespace {

/// A driver of two GPUs, which NVML counts in the other order; handles are no indices.
namespace driver {

int init(unsigned) {
  return 0;
}
int get(int* handle, int index) {
  if (index > 1) return 101;
  *handle = 40 + index;
  return 0;
}
int name(char* text, int size, int handle) {
  std::strncpy(text, handle == 40 ? "Large GPU" : "Small GPU", std::size_t(size));
  return 0;
}
int totalMemory(std::size_t* bytes, int handle) {
  *bytes = handle == 40 ? 80ull << 30 : 8ull << 30;
  return 0;
}
int place(char* text, int size, int handle) {
  std::strncpy(text, handle == 40 ? "0000:41:00.0" : "0000:01:00.0", std::size_t(size));
  return 0;
}
int initNvml() {
  return 0;
}
int handleAt(const char* place, void** gpu) {
  static int gpus[2];
  *gpu = std::strcmp(place, "0000:01:00.0") == 0 ? &gpus[0] : &gpus[1];
  return 0;
}
int memory(void* gpu, void* numbers) {
  void* first = nullptr;
  handleAt("0000:01:00.0", &first);
  const unsigned long long freeBytes = gpu == first ? 3ull << 30 : 70ull << 30;
  const unsigned long long all[] = {1, freeBytes, 2};
  std::memcpy(numbers, all, sizeof all);
  return 0;
}
int fail(void*, void*) {
  return 999;
}

}  // namespace driver

std::map<std::string, void*> wholeDriver() {
  const auto symbol = [](auto* function) { return reinterpret_cast<void*>(function); };
  return {{"cuInit", symbol(driver::init)},
          {"cuDeviceGet", symbol(driver::get)},
          {"cuDeviceGetName", symbol(driver::name)},
          {"cuDeviceTotalMem_v2", symbol(driver::totalMemory)},
          {"cuDeviceGetPCIBusId", symbol(driver::place)},
          {"nvmlInit_v2", symbol(driver::initNvml)},
          {"nvmlDeviceGetHandleByPciBusId_v2", symbol(driver::handleAt)},
          {"nvmlDeviceGetMemoryInfo", symbol(driver::memory)}};
}

ComputeDevice describedBy(const std::map<std::string, void*>& symbols, int index) {
  return describeGpu(index, [&](const char* name) -> void* {
    const auto found = symbols.find(name);
    return found == symbols.end() ? nullptr : found->second;
  });
}

TEST(GpuDriver, TellsOfEachGpuByWhereItIsPluggedIn) {
  EXPECT_EQ(describedBy(wholeDriver(), 0),
            (ComputeDevice{"cuda:0", "Large GPU", 80ll << 30, 70ll << 30}));
  EXPECT_EQ(describedBy(wholeDriver(), 1),
            (ComputeDevice{"cuda:1", "Small GPU", 8ll << 30, 3ll << 30}));
}

TEST(GpuDriver, WithoutNvmlNobodyKnowsWhatIsFree) {
  auto symbols = wholeDriver();
  symbols.erase("nvmlInit_v2");
  EXPECT_EQ(describedBy(symbols, 0), (ComputeDevice{"cuda:0", "Large GPU", 80ll << 30, -1}));
  symbols = wholeDriver();
  symbols["nvmlDeviceGetMemoryInfo"] = reinterpret_cast<void*>(driver::fail);
  EXPECT_EQ(describedBy(symbols, 0).free, -1);
}

TEST(GpuDriver, WhatIsNotThereStaysUnknown) {
  EXPECT_EQ(describedBy({}, 0), (ComputeDevice{.name = "cuda:0", .product = {}}));
  EXPECT_EQ(describedBy(wholeDriver(), 2), (ComputeDevice{.name = "cuda:2", .product = {}}));
}

}  // namespace
}  // namespace softscope
