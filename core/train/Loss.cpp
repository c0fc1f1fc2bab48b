#include "core/train/Loss.h"

namespace softscope {

torch::Tensor smoothedTargets(const std::vector<int>& labels, std::int64_t classes,
                              double smoothing) {
  const auto count = static_cast<std::int64_t>(labels.size());
  const auto shared = static_cast<float>(smoothing / static_cast<double>(classes));
  torch::Tensor targets = torch::empty({count, classes});
  float* values = targets.data_ptr<float>();
  for (std::int64_t row = 0; row < count; ++row) {
    const int label = labels[static_cast<std::size_t>(row)];
    for (std::int64_t column = 0; column < classes; ++column) {
      values[row * classes + column] =
          shared + (column == label ? static_cast<float>(1 - smoothing) : 0.0f);
    }
  }
  return targets;
}

torch::Tensor crossEntropy(const torch::Tensor& logits, const torch::Tensor& targets) {
  return -(targets * logits.to(torch::kFloat32).log_softmax(-1)).sum(-1).mean();
}

}  // namespace softscope
