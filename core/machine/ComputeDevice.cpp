#include "core/machine/ComputeDevice.h"

#include "core/text/Words.h"

namespace softscope {
namespace {

std::string gibibytesText(std::int64_t bytes) {
  return fixedText(static_cast<double>(bytes) / (1 << 30), 1) + " GiB";
}

}  // namespace

std::string deviceText(const ComputeDevice& device) {
  std::string text = device.name + " · ";
  if (!device.product.empty()) text += device.product + ", ";
  if (device.memory <= 0) return text + "memory not known";
  text += gibibytesText(device.memory);
  if (device.free >= 0) text += ", " + gibibytesText(device.free) + " free";
  return text;
}

}  // namespace softscope
