#pragma once

#include "core/model/ModelSummary.h"
#include "core/network/NetworkModule.h"
#include "models/identify/Family.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/TransformerBlock.h"
#include "models/linearpvt/PvtAttention.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

struct LinearPvtStage {
  int channels = 0;
  int heads = 0;
  int depth = 0;
  int hidden = 0;
  /// Side of the patches, in pixels or in tokens of the previous stage.
  int patch = 0;
  /// Tokens per side; they form a square.
  int side = 0;
  int filter = 5;  ///< side of the convolutions beside the attention
  /// Reduction ratio of the keys in each block.
  std::vector<int> ratios;
};

struct LinearPvtConfiguration {
  std::vector<LinearPvtStage> stages;
  /// Number of classes; 0 for a backbone without a head.
  int classes = 0;
  bool bias = true;
  /// True if a published PVT has these channels, heads, depths and pictures.
  bool isPublished = false;

  int pictureSide() const { return stages.front().side * stages.front().patch; }
};

/// The pyramid of PVT ("Pyramid Vision Transformer: A Versatile Backbone for Dense Prediction
/// without Convolutions", 2021) with a linear attention in every block and without a class token;
/// the head is on the mean of the last stage's tokens. Only takes pictures of the size that its
/// positions are for.
class LinearPvtNetwork final : public NetworkModule {
 public:
  using MakeAttention = std::function<std::shared_ptr<StageAttention>(const PvtAttentionOptions&)>;

  LinearPvtNetwork(const LinearPvtConfiguration& configuration, const MakeAttention& makeAttention);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Stage {
    Convolution embedding{nullptr};
    LayerNorm norm{nullptr};
    torch::Tensor positions;
    std::vector<TransformerBlock<LayerNorm>> blocks;
  };

  Stage makeStage(std::size_t index, const LinearPvtConfiguration& configuration,
                  const MakeAttention& makeAttention);

  int pictureSide_;
  std::vector<Stage> stages_;
  Linear head_{nullptr};
};

/// Reads the sizes from names and shapes; the heads follow from the width of the filters beside the
/// attention. `network` is used in messages. Throws ModelError if information is missing, if
/// channels are not divisible by heads, and for positions that do not form a square.
LinearPvtConfiguration readLinearPvt(const ShapeReader& shapes, const std::string& network);

/// Fills in what all these networks share in their summaries; each layer records `mapsOfHead` maps
/// per head.
ModelSummary summaryOf(const LinearPvtConfiguration& configuration, const std::string& family,
                       const std::string& mechanism, int mapsOfHead);

/// Determines a number that exponents depend on and no weight tells, which the authors' training
/// stores beside the weights under `key`, and adds it to the summary as resolveStoredOption() does,
/// behind the activation and the norms' epsilon. `network` is used in messages.
double resolvePvtOptions(const std::string& key, double usual, const std::string& network,
                         const LinearPvtConfiguration& configuration, const ModelHints& hints,
                         ModelSummary& summary);

}  // namespace softscope
