#pragma once

#include "models/attention/PyramidKernel.h"
#include "models/layers/StageAttention.h"

#include <memory>

namespace softscope {

/// `mha`: the projections W_q, W_k, W_v and ff around the kernel of a mechanism.
class PyramidAttentionImpl final : public StageAttention {
 public:
  explicit PyramidAttentionImpl(const PyramidAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  Linear queryProjection_{nullptr};
  Linear keyProjection_{nullptr};
  Linear valueProjection_{nullptr};
  std::shared_ptr<PyramidKernel> kernel_;
  Linear output_{nullptr};
};
TORCH_MODULE(PyramidAttention);

}  // namespace softscope
