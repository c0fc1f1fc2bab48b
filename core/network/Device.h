#pragma once

#include "core/machine/ComputeDevice.h"

#include <string>
#include <vector>

namespace softscope {

/// Checks a device name, `cpu`, `cuda` or `cuda:N`, and returns it with its index: `cuda` becomes
/// `cuda:0`. If the device does not exist, throws a DeviceError that says which do.
std::string resolveDevice(const std::string& name);

/// Returns the message of resolveDevice() for a missing GPU. `found` lists the existing devices,
/// and `builtWithCuda` says whether LibTorch could use a GPU.
std::string missingDeviceText(const std::string& name, const std::vector<ComputeDevice>& found,
                              bool builtWithCuda);

/// Returns the existing devices, the CPU first, with their current memory.
std::vector<ComputeDevice> availableDevices();

/// Returns LibTorch's version, such as `1.13.1`.
std::string torchVersion();

/// Sets the number of threads for LibTorch's work that the calling thread asks for; 0 takes the
/// machine's cores. (LibTorch starts with one.)
void setComputeThreads(int threads);

/// From the first call on, makes running out of memory on the CPU an error instead of a crash.
/// LibTorch's own allocations throw; but the libraries beneath it (oneDNN's machine code,
/// OpenBLAS's buffers) crash or wait forever if they cannot allocate, so a block that would leave
/// too little for them is refused as if there were no room for it. A large block that the system
/// would promise although the machine has less left is refused as well, because filling it would
/// end the program. Throws MemoryError if too little is left already.
void keepMemoryReserve();

}  // namespace softscope
