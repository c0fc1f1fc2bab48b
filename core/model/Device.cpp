#include "core/model/Device.h"

#include "core/Error.h"
#include "core/ListText.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <thread>

namespace softscope {

namespace {

bool startsWithCuda(const std::string& device) {
  return device.rfind("cuda:", 0) == 0;
}

}  // namespace

std::string missingDeviceText(const std::string& name, const std::vector<std::string>& found,
                              bool builtWithCuda) {
  const std::string what = "device " + name + " is not there; found: " + listText(found);
  if (!builtWithCuda) {
    return what +
           " (this LibTorch was built without CUDA). Use --device cpu, or build against a LibTorch "
           "with CUDA";
  }
  if (std::none_of(found.begin(), found.end(), startsWithCuda)) {
    return what +
           " (this LibTorch has CUDA, but no GPU answers it). Use --device cpu, or see with "
           "nvidia-smi what is wrong with the GPU's driver";
  }
  return what + ". Use one of these";
}

std::vector<std::string> availableDevices() {
  std::vector<std::string> devices{"cpu"};
  const auto count = torch::cuda::is_available() ? torch::cuda::device_count() : 0;
  for (std::size_t index = 0; index < static_cast<std::size_t>(count); ++index) {
    devices.push_back("cuda:" + std::to_string(index));
  }
  return devices;
}

std::string resolveDevice(const std::string& name) {
  if (name == "cpu") return name;
  const std::string wanted = name == "cuda" ? "cuda:0" : name;
  for (const std::string& device : availableDevices()) {
    if (device != wanted) continue;
    // Ten bits of mantissa would be no parity; LibTorch's default for convolutions.
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    return wanted;
  }
  if (!startsWithCuda(wanted)) {
    throw DeviceError("device \"" + name + "\" is not one of cpu, cuda, cuda:N");
  }
  // Not hasCUDA(), which a machine without a GPU denies whatever LibTorch was built with.
  throw DeviceError(missingDeviceText(name, availableDevices(), at::globalContext().hasCUDART()));
}

std::string torchVersion() {
  return TORCH_VERSION;
}

void setComputeThreads(int threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  // More than there are cores would wait for one another, forty times as long as they compute.
  at::set_num_threads(threads > 0 ? std::min(threads, cores) : cores);
}

}  // namespace softscope
