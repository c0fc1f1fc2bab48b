#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace softscope {

/// A device that models can run on, as it was when it was queried.
struct ComputeDevice {
  std::string name;         ///< the name that options use: `cpu`, `cuda:0`
  std::string product;      ///< the maker's name for it; empty if unknown
  std::int64_t memory = 0;  ///< total bytes; 0 if unknown
  std::int64_t free = -1;   ///< unused bytes; -1 if unknown

  bool operator==(const ComputeDevice&) const = default;
};

/// Returns `cuda:0 · NVIDIA H100 PCIe, 79.6 GiB, 60.2 GiB free`. An unknown product is left out;
/// unknown memory is stated as such.
std::string deviceText(const ComputeDevice& device);

/// Looks up a function of NVIDIA's driver by name; null if there is none.
using DriverSymbols = std::function<void*(const char* name)>;

/// Looks up a function in the driver's two libraries, libcuda and libnvidia-ml, which exist on
/// every machine whose GPU CUDA can use, even without the toolkit. The first call loads them.
void* symbolOfDriver(const char* name);

/// Returns the name, memory and free memory of `cuda:index`, counted as CUDA counts in this
/// process, without allocating any memory on it. Properties that the driver does not report stay
/// unknown.
ComputeDevice describeGpu(int index, const DriverSymbols& symbols = symbolOfDriver);

}  // namespace softscope
