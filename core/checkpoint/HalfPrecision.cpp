#include "core/checkpoint/HalfPrecision.h"

#include "core/Error.h"

namespace softscope {

torch::Tensor inHalfPrecision(const std::string& name, const torch::Tensor& tensor,
                              const std::string& advice) {
  if (!tensor.is_floating_point()) return tensor;
  const torch::Tensor half = tensor.to(torch::kFloat16);
  if (!half.isfinite().all().item<bool>() && tensor.isfinite().all().item<bool>()) {
    throw ModelError(name + " holds values too large for 16 bits; " + advice);
  }
  return half;
}

}  // namespace softscope
