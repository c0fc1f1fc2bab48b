#pragma once

#include "core/network/NetworkModule.h"
#include "models/lra/LraAttention.h"

#include <string>
#include <vector>

namespace softscope {

/// Sizes of one of LRA's models of pictures.
struct LraConfiguration {
  LraAttentionOptions attention;  ///< of every block, without a name
  int depth = 0;
  int hidden = 0;      ///< inside the blocks' mlp
  int values = 0;      ///< number of values that a pixel may have
  int headHidden = 0;  ///< inside the classifier; 0 if there is none
  int classes = 0;
  int side = 0;  ///< of the pictures, in pixels
};

/// A transformer whose tokens are the pixels of a grey picture, under the published names. Takes
/// the values of pixels, from 0 to 255.
class LraNetwork final : public NetworkModule {
 public:
  explicit LraNetwork(const LraConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Block {
    LayerNorm norm1{nullptr};
    LraAttention attention{nullptr};
    LayerNorm norm2{nullptr};
    Linear expand{nullptr};
    Linear contract{nullptr};
  };

  LraConfiguration configuration_;
  torch::Tensor valueEmbedding_;
  torch::Tensor positions_;
  std::vector<Block> blocks_;
  LayerNorm norm_{nullptr};
  Linear headExpand_{nullptr};
  Linear headContract_{nullptr};
};

}  // namespace softscope
