#pragma once

#include "core/network/NetworkModule.h"
#include "core/network/Recorder.h"
#include "models/attention/PerformerAttention.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// The attentions of LRA's models.
enum class LraMechanism { Softmax, Elu, Linformer, Performer, Nystrom };

struct LraAttentionOptions {
  LraMechanism mechanism = LraMechanism::Softmax;
  std::string name;  ///< the module's path, for the recorder
  int channels = 0;
  int heads = 0;
  int inner = 0;  ///< channels of all heads
  int tokens = 0;
  int projected = 0;  ///< rows of Linformer's E, or Performer's random features
  int filter = 0;     ///< length of Nyströmformer's filters; 0 if there are none
  /// The products among which the largest exponent of Performer's keys is found.
  LargestOver largestOfKeys = LargestOver::Head;
  int landmarks = 0;  ///< runs of tokens whose means are Nyströmformer's landmarks
};

/// `mha`: attention of a sequence of pixels, some of which are masked: nothing attends to them.
class LraAttentionImpl : public torch::nn::Module {
 public:
  explicit LraAttentionImpl(const LraAttentionOptions& options);
  /// Maps tokens [B, n, C] to [B, n, C]. `mask` [B, n] is 0 for masked tokens, and 1 for others.
  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& mask,
                        const TokenGrid& grid, Recorder* recorder);
  const std::string& layer() const { return options_.name; }

 private:
  struct Projected;
  torch::Tensor attend(const Projected& in, const AttentionDescription& description,
                       Recorder* recorder) const;
  /// Takes masked queries and keys as zeros if `clearsMasked`.
  torch::Tensor attendBySoftmax(const Projected& in, bool clearsMasked,
                                AttentionDescription description, Recorder* recorder) const;
  torch::Tensor attendThroughLandmarks(const Projected& in, const AttentionDescription& description,
                                       Recorder* recorder) const;

  LraAttentionOptions options_;
  Linear query_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Linear output_{nullptr};
  torch::Tensor projection_;  ///< E, or the random features
  torch::Tensor filters_;     ///< [heads, 1, length, 1]
};
TORCH_MODULE(LraAttention);

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
