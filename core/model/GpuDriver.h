#pragma once

#include "core/ComputeDevice.h"

#include <functional>

namespace softscope {

/// A function of NVIDIA's driver by its name; null where there is none.
using DriverSymbols = std::function<void*(const char* name)>;

/// Those of the driver's two libraries, libcuda and libnvidia-ml, which are on every machine whose
/// GPU CUDA can use and need no toolkit. Loads them with its first call.
void* symbolOfDriver(const char* name);

/// What the driver tells of `cuda:index`, counted as CUDA counts in this process: its name and
/// memory, and what of that is free, without taking any itself. What it does not tell stays
/// unknown.
ComputeDevice describeGpu(int index, const DriverSymbols& symbols = symbolOfDriver);

}  // namespace softscope
