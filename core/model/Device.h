#pragma once

#include "core/ComputeDevice.h"

#include <string>
#include <vector>

namespace softscope {

/// Checks a device name, `cpu`, `cuda` or `cuda:N`, and returns it with its index: `cuda` becomes
/// `cuda:0`. Throws DeviceError, saying what was found, where it is not there.
std::string resolveDevice(const std::string& name);

/// What resolveDevice() says of a GPU that is not there: `found` are the devices there are, and
/// `builtWithCuda` is whether LibTorch could use one.
std::string missingDeviceText(const std::string& name, const std::vector<ComputeDevice>& found,
                              bool builtWithCuda);

/// The devices there are, the CPU first, with their memory as it is now.
std::vector<ComputeDevice> availableDevices();

/// `1.13.1`
std::string torchVersion();

/// Threads for LibTorch's own work; 0 takes the machine's cores. (LibTorch starts with one.)
void setComputeThreads(int threads);

}  // namespace softscope
