#pragma once

#include "models/layers/StageAttention.h"

#include <optional>
#include <string>

namespace softscope {

/// What stands in the place of SOFT's kernel.
enum class PyramidMechanism {
  Softmax,
  Linformer,      ///< keys and values shortened by a learned depthwise convolution
  Performer,      ///< FAVOR+, with floor(d ln d) random features
  Nystromformer,  ///< landmarks by average pooling in two dimensions
  Sima,
  Elu,
  Efficient,
  Cosformer,
};

/// `softmax`, `linformer`, `performer`, ...
std::string mechanismName(PyramidMechanism mechanism);
/// The mechanism of that name, or nothing.
std::optional<PyramidMechanism> pyramidMechanism(const std::string& name);
/// Whether windows of r x r tokens stand for all tokens, as SOFT's landmarks do.
bool hasLandmarks(PyramidMechanism mechanism);

struct PyramidAttentionOptions {
  std::string name;  ///< the path of `mha.attn`, for the recorder
  int channels = 0;
  int heads = 0;
  int ratio = 1;     ///< side of the window one landmark stands for, where there are landmarks
  int features = 0;  ///< Performer's m
  PyramidMechanism mechanism = PyramidMechanism::Softmax;
};

/// `mha.attn`: what a mechanism has beside query, key and value. Linformer has the filters
/// `E.weight` [heads, 1, r, r], Performer the buffer `projection` [m, d], the others nothing.
class PyramidKernelImpl : public torch::nn::Module {
 public:
  explicit PyramidKernelImpl(const PyramidAttentionOptions& options);
  /// Query, key and value [B, heads, n, d] -> [B, heads, n, d].
  torch::Tensor forward(const torch::Tensor& query, const torch::Tensor& key,
                        const torch::Tensor& value, const TokenGrid& grid, Recorder* recorder);

 private:
  torch::Tensor attendThroughPooled(const torch::Tensor& query, const torch::Tensor& key,
                                    const torch::Tensor& value, const TokenGrid& grid,
                                    AttentionDescription description, Recorder* recorder) const;
  torch::Tensor attendToShortened(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const TokenGrid& grid,
                                  AttentionDescription description, Recorder* recorder) const;

  PyramidAttentionOptions options_;
  torch::Tensor randomFeatures_;
  Convolution shortening_{nullptr};
};
TORCH_MODULE(PyramidKernel);

/// `mha`: the projections W_q, W_k, W_v and ff around the kernel.
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
  PyramidKernel kernel_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(PyramidAttention);

}  // namespace softscope
