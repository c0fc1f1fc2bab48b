#pragma once

#include "models/attention/SoftKernel.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/LandmarkGrid.h"
#include "models/layers/TransformerBlock.h"

#include <optional>
#include <string>

namespace softscope {

/// The inverse, if any, in SOFT's attention P inv(A) P^T.
enum class SoftMechanism {
  Soft,      ///< SOFT's damped Newton-Raphson inverse
  SoftNorm,  ///< SOFT++: normalised on both sides by D^(-1/2)
  Gaussian,  ///< no bottleneck: the exact kernel exp(-|q_i - q_j|^2 / 2), never trained
};

/// Returns `soft`, `soft++` or `gaussian`.
std::string mechanismName(SoftMechanism mechanism);
/// Returns the mechanism with this name, or nothing.
std::optional<SoftMechanism> softMechanism(const std::string& name);

struct SoftAttentionOptions {
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  int ratio = 1;        ///< side of the window that one landmark stands for
  int convolution = 0;  ///< side of the convolution of V beside the attention
  SoftMechanism mechanism = SoftMechanism::Soft;
  /// True if trained with means of queries as landmarks instead of a convolution, LayerNorm and
  /// GELU.
  bool pooledLandmarks = false;
  LandmarkChoice landmarks = {};
  int steps = publishedNewtonSteps;  ///< of the inverse
};

/// The kernel of SOFT's attention (`mha.attn`): landmarks from Q, the bottleneck matrix and its
/// inverse, and the depthwise convolution of V. Pooled landmarks have no parameters.
class SoftKernelImpl : public torch::nn::Module {
 public:
  explicit SoftKernelImpl(const SoftAttentionOptions& options);

  /// Maps query and value [B, heads, n, d] to S V and the convolution of V beside it.
  /// `preciseQuery` is the query in float64 if the recorder wants precision, otherwise undefined.
  HeadTerms forward(const torch::Tensor& query, const torch::Tensor& value, const TokenGrid& grid,
                    Recorder* recorder, const torch::Tensor& preciseQuery = {});

 private:
  /// Returns the filters of V's convolution, [heads, k, k]; undefined without one.
  torch::Tensor valueFilters() const;
  torch::Tensor convolveValue(const torch::Tensor& value, const TokenGrid& grid);
  /// Returns the landmarks as they were trained, [B, heads, m, d], from the scaled queries.
  torch::Tensor trainedLandmarks(const torch::Tensor& query, const TokenGrid& grid);
  torch::Tensor attendThroughLandmarks(const torch::Tensor& query, const torch::Tensor& value,
                                       const TokenGrid& grid, const torch::Tensor& queryL1,
                                       Recorder* recorder, const torch::Tensor& preciseQuery);
  /// Returns the trained landmarks of the first picture in float64, [heads, m, d].
  torch::Tensor preciseLandmarks(const torch::Tensor& query, const TokenGrid& grid);
  PreciseTensors precise(const torch::Tensor& query, const TokenGrid& grid,
                         const std::optional<LandmarkTokens>& chosen);
  torch::Tensor attendExactly(const torch::Tensor& query, const torch::Tensor& value,
                              const TokenGrid& grid, const torch::Tensor& queryL1,
                              Recorder* recorder);
  AttentionDescription describe(const TokenGrid& grid) const;

  SoftAttentionOptions options_;
  Convolution landmarkConvolution_{nullptr};
  LayerNorm landmarkNorm_{nullptr};
  Convolution valueConvolution_{nullptr};
};
TORCH_MODULE(SoftKernel);

/// `mha`: the projections W_q, W_v and ff around the kernel.
class SoftAttentionImpl final : public StageAttention {
 public:
  explicit SoftAttentionImpl(const SoftAttentionOptions& options);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  HeadTerms attend(const torch::Tensor& query, const torch::Tensor& value, const TokenGrid& grid,
                   Recorder* recorder, const torch::Tensor& preciseQuery);

  int heads_;
  Linear queryProjection_{nullptr};
  Linear valueProjection_{nullptr};
  SoftKernel kernel_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(SoftAttention);

}  // namespace softscope
