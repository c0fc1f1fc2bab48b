#include "core/machine/ComputeDevice.h"

#include "core/text/Words.h"

#include <array>
#include <cstddef>
#include <dlfcn.h>
#include <string>

namespace softscope {
namespace {

/// Declared as in the driver's interface, whose headers come only with CUDA's toolkit.
struct NvmlMemory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

/// Calls a function of the driver and returns true if it succeeded; all of them return 0 on
/// success.
template <typename... Arguments>
bool callDriver(const DriverSymbols& symbols, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(symbols(name));
  return function != nullptr && function(arguments...) == 0;
}

/// Fills in the free memory through NVML. CUDA's own call would take hundreds of MiB of the GPU for
/// this process. NVML counts GPUs in a different order, so the GPU is identified by its PCI
/// address.
void addFreeMemory(const DriverSymbols& symbols, int handle, ComputeDevice& device) {
  std::array<char, 64> place{};
  void* gpu = nullptr;
  NvmlMemory memory;
  if (!callDriver(symbols, "cuDeviceGetPCIBusId", place.data(), int{place.size() - 1}, handle) ||
      !callDriver(symbols, "nvmlInit_v2") ||
      !callDriver(symbols, "nvmlDeviceGetHandleByPciBusId_v2",
                  static_cast<const char*>(place.data()), &gpu) ||
      !callDriver(symbols, "nvmlDeviceGetMemoryInfo", gpu, &memory)) {
    return;
  }
  device.free = static_cast<std::int64_t>(memory.free);
}

std::string gibibytesText(std::int64_t bytes) {
  return fixedText(static_cast<double>(bytes) / (1 << 30), 1) + " GiB";
}

}  // namespace

void* symbolOfDriver(const char* name) {
  static const std::array<void*, 2> libraries = {dlopen("libcuda.so.1", RTLD_LAZY),
                                                 dlopen("libnvidia-ml.so.1", RTLD_LAZY)};
  for (void* library : libraries) {
    void* symbol = library != nullptr ? dlsym(library, name) : nullptr;
    if (symbol != nullptr) return symbol;
  }
  return nullptr;
}

ComputeDevice describeGpu(int index, const DriverSymbols& symbols) {
  ComputeDevice device;
  device.name = "cuda:" + std::to_string(index);
  int handle = 0;
  if (!callDriver(symbols, "cuInit", 0u) || !callDriver(symbols, "cuDeviceGet", &handle, index)) {
    return device;
  }
  std::array<char, 256> product{};
  if (callDriver(symbols, "cuDeviceGetName", product.data(), int{product.size() - 1}, handle)) {
    device.product = product.data();
  }
  std::size_t memory = 0;
  if (callDriver(symbols, "cuDeviceTotalMem_v2", &memory, handle)) {
    device.memory = static_cast<std::int64_t>(memory);
    addFreeMemory(symbols, handle, device);
  }
  return device;
}

std::string deviceText(const ComputeDevice& device) {
  std::string text = device.name + " · ";
  if (!device.product.empty()) text += device.product + ", ";
  if (device.memory <= 0) return text + "memory not known";
  text += gibibytesText(device.memory);
  if (device.free >= 0) text += ", " + gibibytesText(device.free) + " free";
  return text;
}

}  // namespace softscope
