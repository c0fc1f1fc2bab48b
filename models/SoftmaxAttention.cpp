#include "models/SoftmaxAttention.h"

#include <vector>

namespace softscope {

torch::Tensor softmaxAttention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, double scale, const std::string& layer,
                               const AttentionDescription& description, Recorder* recorder) {
  if (recorder != nullptr) {
    recorder->record(AttentionRecord{
        .layer = layer,
        .description = description,
        .map = KernelTensors{KernelTensors::Kernel::Softmax, query[0], key[0], scale},
        .queryL1 = query[0].abs().sum(-1),
        .keyL1 = key[0].abs().sum(-1),
        .bottleneck = {},
        .bottleneckInverse = {}});
  }
  // In strips, so that many tokens do not take n x n memory.
  constexpr std::int64_t strip = 1024;
  const torch::Tensor keys = key.transpose(-1, -2);
  std::vector<torch::Tensor> strips;
  for (const torch::Tensor& queries : query.split(strip, 2)) {
    strips.push_back(at::matmul((at::matmul(queries, keys) * scale).softmax(-1), value));
  }
  return strips.size() == 1 ? strips.front() : at::cat(strips, 2);
}

}  // namespace softscope
