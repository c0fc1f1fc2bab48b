// The functions of core/network that are about LibTorch's devices, in builds without LibTorch.
#include "core/Error.h"
#include "core/machine/ProcessMemory.h"
#include "core/network/Device.h"

namespace softscope {

std::vector<ComputeDevice> availableDevices() {
  return {{.name = "cpu", .product = {}, .memory = machineBytes(), .free = availableBytes()}};
}

std::string resolveDevice(const std::string& name) {
  if (name == "cpu") return name;
  throw DeviceError(
      "there is no device " + name +
      " here: this installation of Softscope shows what was recorded, and models that "
      "run in Python, on whatever device they are there; leave the device out");
}

std::string torchVersion() {
  return "none";
}

void setComputeThreads(int) {}

void keepMemoryReserve() {}

}  // namespace softscope
