#pragma once

#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"
#include "models/mila/MilaNetwork.h"

#include <string>
#include <vector>

namespace softscope {

struct VssdStageConfiguration {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;  ///< inside the blocks' mlp
  /// Channels inside the convolutions that lead to the next stage; 0 for the last stage.
  int downsampleHidden = 0;
  int inner = 0;  ///< channels of V in its state spaces; 0 in a stage with softmax attention
  int state = 0;  ///< channels of B and of C, of all groups
  /// Groups of heads with a B and a C of their own: head h belongs to group h modulo `groups`.
  int groups = 1;
  bool isPositive = true;  ///< false if the sign of A is reversed
};

/// Sizes of a VSSD. Names and shapes determine all of them except the heads of softmax attention,
/// groups and sign.
struct VssdConfiguration {
  std::vector<VssdStageConfiguration> stages;
  int stemChannels = 0;
  int stemHidden = 0;
  std::string norm = "norm";  ///< the last one: `outnorm3` in a detector's backbone
  int classes = 0;
};

/// The non-causal state space of "VSSD: Vision Mamba with Non-Causal State Space Duality", 2024:
/// A_ij = C_i . B_j dt_j exp(A_log) for each head, with dt = softplus of a projection. D V is
/// added, the sum normalised, and multiplied by z.
///
/// The repository's options SSD_NGROUPS, which gives groups of heads their own B and C, and
/// SSD_POSITIVE_DA, without which A has the other sign, leave nothing in the weights.
class NonCausalStateSpaceImpl : public torch::nn::Module {
 public:
  NonCausalStateSpaceImpl(std::string name, const VssdStageConfiguration& sizes);
  /// Maps tokens [B, n, C] to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  std::string name_;
  VssdStageConfiguration sizes_;
  torch::Tensor stepBias_;  ///< [heads]
  torch::Tensor rates_;     ///< A_log, [heads]
  torch::Tensor skips_;     ///< D, [heads]
  Linear input_{nullptr};
  Convolution convolution_{nullptr};
  LayerNorm norm_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(NonCausalStateSpace);

/// Softmax attention, as in the last stage.
class VssdSoftmaxImpl : public torch::nn::Module {
 public:
  VssdSoftmaxImpl(std::string name, const VssdStageConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  std::string name_;
  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(VssdSoftmax);

/// Positions by convolution, attention, positions again, and an mlp.
class VssdBlockImpl : public torch::nn::Module {
 public:
  VssdBlockImpl(const std::string& name, const VssdStageConfiguration& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  std::string layer_;
  Convolution positions1_{nullptr};
  LayerNorm norm1_{nullptr};
  NonCausalStateSpace stateSpace_{nullptr};
  VssdSoftmax softmax_{nullptr};
  Convolution positions2_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};
TORCH_MODULE(VssdBlock);

/// VSSD under the published parameter names. Takes pictures whose sides are multiples of 32.
class VssdNetwork final : public NetworkModule {
 public:
  explicit VssdNetwork(const VssdConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Stage {
    std::vector<VssdBlock> blocks;
    ConvolutionChain downsample{nullptr};
  };

  MilaStem stem_{nullptr};
  std::vector<Stage> stages_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace softscope
