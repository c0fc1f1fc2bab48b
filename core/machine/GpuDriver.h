#pragma once

#include "core/machine/ComputeDevice.h"

#include <functional>

namespace softscope {

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
