#pragma once

#include <cstdint>
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

}  // namespace softscope
