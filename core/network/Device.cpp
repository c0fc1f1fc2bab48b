#include "core/network/Device.h"

#include "core/Error.h"
#include "core/machine/ComputeDevice.h"
#include "core/machine/ProcessMemory.h"
#include "core/text/Words.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <omp.h>
#include <thread>

namespace softscope {

namespace {

bool startsWithCuda(const std::string& name) {
  return name.starts_with("cuda:");
}

}  // namespace

std::string missingDeviceText(const std::string& name, const std::vector<ComputeDevice>& found,
                              bool builtWithCuda) {
  const std::string what =
      "device " + name + " is not there; found: " + listText(found, "; ", deviceText);
  if (!builtWithCuda) {
    return what +
           " (this LibTorch was built without CUDA). Use the CPU (--device cpu), or build against "
           "a LibTorch with CUDA";
  }
  if (std::none_of(found.begin(), found.end(),
                   [](const ComputeDevice& device) { return startsWithCuda(device.name); })) {
    return what +
           " (this LibTorch has CUDA, but no GPU answers it). Use the CPU (--device cpu), or see "
           "with nvidia-smi what is wrong with the GPU's driver";
  }
  return what + ". Use one of these";
}

std::vector<ComputeDevice> availableDevices() {
  std::vector<ComputeDevice> devices{
      {.name = "cpu", .product = {}, .memory = machineBytes(), .free = availableBytes()}};
  const int count = torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
  for (int index = 0; index < count; ++index) devices.push_back(describeGpu(index));
  return devices;
}

std::string resolveDevice(const std::string& name) {
  if (name == "cpu") return name;
  const std::string wanted = name == "cuda" ? "cuda:0" : name;
  for (const ComputeDevice& device : availableDevices()) {
    if (device.name != wanted) continue;
    // LibTorch uses TF32 for convolutions by default, and its ten bits of mantissa would not give
    // parity.
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    return wanted;
  }
  if (!startsWithCuda(wanted)) {
    throw DeviceError("device \"" + name + "\" is not one of cpu, cuda, cuda:N");
  }
  // Not hasCUDA(), which is false on a machine without a GPU even if LibTorch was built with CUDA.
  throw DeviceError(missingDeviceText(name, availableDevices(), at::globalContext().hasCUDART()));
}

std::string torchVersion() {
  return TORCH_VERSION;
}

void setComputeThreads(int threads) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  // More threads than cores would wait for each other, forty times as long as they compute.
  const int wanted = threads > 0 ? std::min(threads, cores) : cores;
  // LibTorch sets its default in each thread that asks for the first time, which comes first here.
  at::get_num_threads();
  // at::set_num_threads() starts a second pool each time, which nothing here uses, and whose
  // threads spin for some fifty milliseconds. It is needed where LibTorch has an OpenMP library of
  // its own.
  omp_set_num_threads(wanted);
  if (at::get_num_threads() != wanted) at::set_num_threads(wanted);
}

}  // namespace softscope
