#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Checks a device name, `cpu`, `cuda` or `cuda:N`, and returns it with its index: `cuda` becomes
/// `cuda:0`. Throws DeviceError, saying what was found, where it is not there.
std::string resolveDevice(const std::string& name);

/// The devices there are, `cpu` first.
std::vector<std::string> availableDevices();

/// Threads for LibTorch's own work; 0 takes the machine's cores. (LibTorch starts with one.)
void setComputeThreads(int threads);

}  // namespace softscope
