#pragma once

#include "core/network/Network.h"
#include "core/network/NetworkModule.h"
#include "core/network/Recorder.h"
#include "models/layers/Layers.h"
#include "models/vit/VitBlock.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// SigLIP's pool: one learned query attends to all patches, in some of timm's networks also to the
/// tokens before them, and an mlp follows, x + mlp(norm(x)).
/// It follows the last block and belongs to the head. Its parameters are registered in the network.
class AttentionPool {
 public:
  AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration);
  /// Maps [B, n, C] to [B, C]. Recorded as a layer with one query.
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  std::vector<torch::Tensor> project(const torch::Tensor& tokens) const;
  void record(const torch::Tensor& attention, const torch::Tensor& query, const torch::Tensor& key,
              const torch::Tensor& value, const TokenGrid& grid, Recorder& recorder) const;

  std::string layer_;
  int heads_;
  std::vector<std::string> prefixNames_;  ///< of the tokens before the patches that it attends to
  VitActivation activation_;
  torch::Tensor latent_;
  Linear queryKeyValue_{nullptr};
  Linear query_{nullptr};
  Linear keyValue_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm_{nullptr};
  Linear expand_{nullptr};
  Linear contract_{nullptr};
};

/// The plain vision transformer that ViT, its descendants and T2T-ViT share, without the part that
/// turns the picture into tokens: tokens before the patches, positions, blocks and heads.
class VitBackbone : public NetworkModule, public EarlyAnswerNetwork, public FeatureSpaceNetwork {
 public:
  explicit VitBackbone(const VitConfiguration& configuration);

  torch::Tensor answerEarly(const torch::Tensor& tokens, const TokenGrid& grid) override;
  std::optional<FeatureTensors> featureTensors() const override;

 protected:
  /// Registers the tokens before the patches, the blocks and the heads. Every network calls it last
  /// in its constructor, so that its parameters are listed in the order in which they run.
  void addBehindPatches();
  /// Returns the logits of patches [B, n, C] that lie in `grid`; the mean of both heads if a
  /// distillation token has its own. Undefined without a head.
  torch::Tensor classify(const torch::Tensor& patches, const TokenGrid& grid, Recorder* recorder);
  /// Returns the logits of only those of the patches [1, n, C] whose indices are in `kept` [k];
  /// they keep their positions among all. Throws InspectionError unless the head uses the class
  /// token alone: without patches, any other head has no input.
  torch::Tensor classifySome(const torch::Tensor& patches, const TokenGrid& grid,
                             const torch::Tensor& kept);
  /// Throws InspectionError if the network has no position embeddings for a grid of patches of this
  /// size.
  void checkGrid(const TokenGrid& grid) const;
  const VitConfiguration& configuration() const { return configuration_; }

 private:
  void addTokens();
  void addEnd();
  torch::Tensor withPrefix(const torch::Tensor& patches, const TokenGrid& grid);
  torch::Tensor angles(const TokenGrid& grid) const;
  torch::Tensor normalise(const torch::Tensor& tokens);
  /// Applies the norm of what is pooled, if there is one.
  torch::Tensor normalisePooled(const torch::Tensor& pooled);
  torch::Tensor pool(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  /// Returns what is projected to CLIP's shared space, [B, 1, C]: the class token, or the mean of
  /// the patches.
  torch::Tensor projected(const torch::Tensor& tokens);
  /// Returns the result of a network without a head: [B, tokens, C], or [B, 1, width] if its tokens
  /// are pooled or projected to CLIP's shared space.
  torch::Tensor features(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  /// Returns the logits of tokens [B, prefix + n, C] behind the last block. Must not be called for
  /// a network without a head.
  torch::Tensor readHead(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  /// Returns the logits of tokens [B, prefix + n, C] that include their positions.
  torch::Tensor answer(torch::Tensor tokens, const VitPlaces& places, Recorder* recorder);

  VitConfiguration configuration_;
  /// Class token, distillation token, registers: [1, k, C] each, or [C].
  std::vector<torch::Tensor> prefix_;
  torch::Tensor positions_;
  torch::Tensor periods_;
  torch::Tensor sharedBias_;
  LayerNorm normBefore_{nullptr};
  std::vector<VitBlock> blocks_;
  LayerNorm norm_{nullptr};
  LayerNorm prefixNorm_{nullptr};
  LayerNorm poolingNorm_{nullptr};
  std::optional<AttentionPool> attentionPool_;
  Linear headHidden_{nullptr};
  torch::Tensor headMean_, headVariance_;  ///< of the batch norm in front of the head
  Linear head_{nullptr};
  Linear distillationHead_{nullptr};
  Linear featureProjection_{nullptr};
  torch::Tensor featureMatrix_;
};

}  // namespace softscope
