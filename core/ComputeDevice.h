#pragma once

#include <cstdint>
#include <string>

namespace softscope {

/// What models can run on, as it was when it was asked for.
struct ComputeDevice {
  std::string name;         ///< as options name it: `cpu`, `cuda:0`
  std::string product;      ///< as its maker calls it; empty where that is not known
  std::int64_t memory = 0;  ///< bytes in all; 0 where that is not known
  std::int64_t free = -1;   ///< bytes of them that nobody uses; -1 where that is not known

  bool operator==(const ComputeDevice&) const = default;
};

/// `cuda:0 · NVIDIA H100 PCIe, 79.6 GiB, 60.2 GiB free`; leaves out what is not known, and says so
/// of the memory.
std::string deviceText(const ComputeDevice& device);

}  // namespace softscope
