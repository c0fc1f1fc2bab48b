#pragma once

#include "core/network/Network.h"
#include "models/identify/Family.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/VitBackbone.h"
#include "models/vit/VitConfiguration.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// ViT and the networks that share its backbone: square patches of the picture are the tokens.
class VitNetwork final : public VitBackbone, public TokenSubsetNetwork {
 public:
  explicit VitNetwork(const VitConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) override;
  void checkInputSize(int height, int width) const override;

 private:
  /// Maps a picture [B, 3, H, W] to [B, C, H / patch, W / patch].
  torch::Tensor embed(const torch::Tensor& picture);

  Convolution embedding_{nullptr};
  Linear pixels_{nullptr};
};

/// The identity of a vision transformer, as its family knows it.
struct VitIdentity {
  std::string family;
  std::string network;  ///< for messages: `DINOv2`
  std::string variant;
  InputTransform transform;
  /// Names of pixelNorms(), as in DefinedModel.
  std::vector<std::string> pixelNorms = {};
  /// The heads if neither the file nor its user gives them; if empty, those of defaultVitHeads().
  std::optional<DefaultHeads> heads = std::nullopt;
};

/// Defines a vision transformer with softmax attention; its heads and everything else that weights
/// do not determine are still to be resolved.
DefinedModel defineVit(VitConfiguration configuration, const VitIdentity& identity,
                       const ModelHints& hints);

/// Sets the channels of the network's pictures, and their size if its positions are for one grid
/// alone.
void applyPictures(const VitConfiguration& configuration, InputTransform& transform);

/// Sets the picture size that the positions were trained for: square, or as nearly square as they
/// allow.
void inputSizeOfPositions(int positions, int patch, InputTransform& transform);

}  // namespace softscope
