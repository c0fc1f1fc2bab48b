#include "models/attention/MechanismImplementation.h"

namespace softscope {

const std::vector<MechanismImplementation>& mechanismImplementations() {
  static const std::vector<MechanismImplementation> all = [] {
    std::vector<MechanismImplementation> made;
    for (const auto implement : implementationsInOrder) made.push_back(implement());
    return made;
  }();
  return all;
}

torch::TensorOptions costOptions(const CostRequest& request) {
  return torch::TensorOptions(torch::Device(request.device));
}

std::int64_t headWidth(const CostRequest& request) {
  return request.channels / request.heads;
}

std::int64_t queryAndKeyNumbers(const CostRequest& request) {
  return 2 * request.tokens * headWidth(request);
}

}  // namespace softscope
