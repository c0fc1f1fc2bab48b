#pragma once

#include "core/checkpoint/StateDict.h"
#include "core/network/NetworkModule.h"
#include "models/layers/Layers.h"

#include <string>
#include <vector>

namespace softscope {

/// The names of a PVTv2's parts in a file: the authors', timm's or Hugging Face's.
struct PvtNames {
  enum class Library { Authors, Timm, HuggingFace };
  Library library = Library::Authors;
  std::string stages;  ///< what precedes a stage's number: `stages.`, `block`
  // Names within a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string query = "attn.q";
  std::string keyValue = "attn.kv";  ///< empty if there is one projection to each
  std::string key, value;
  std::string reduction = "attn.sr";
  std::string reductionNorm = "attn.norm";
  std::string projection = "attn.proj";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string depthwise = "mlp.dwconv.dwconv";
  std::string contract = "mlp.fc2";
  std::string head = "head";

  // Paths in a stage, counted from 0.
  std::string embedding(int stage) const;
  std::string embeddingNorm(int stage) const;
  /// Returns what precedes a block's number: `stages.0.blocks.`.
  std::string blocks(int stage) const;
  std::string norm(int stage) const;
};

/// Returns true if a state dict has any of these libraries' names for a PVTv2.
bool hasPvtNames(const StateDict& state);
/// Returns the names that a state dict uses.
PvtNames pvtNamesOf(const StateDict& state);

struct PvtStage {
  int channels = 0;
  int heads = 1;
  int depth = 0;
  int hidden = 0;
  int kernel = 3;     ///< side of the embedding's filters
  int stride = 2;     ///< the embedding's; no weight tells it
  int reduction = 0;  ///< side of the filters that reduce the keys' grid; 0 if there are none
};

/// Sizes of a PVTv2. Names and shapes determine all of them except heads, epsilon and activation.
struct PvtConfiguration {
  PvtNames names;
  std::vector<PvtStage> stages;
  /// True for PVTv2's linear attention, which averages the tokens over a grid of 7 x 7 before
  /// projecting them to keys and values.
  bool isLinear = false;
  bool queryBias = true;
  int classes = 0;
  double epsilon = 1e-6;
  /// Epsilon of the norms of embeddings and of keys.
  double innerEpsilon = 1e-5;
  Activation activation = Activation::Gelu;
};

/// A block of PVTv2: attention to keys on a coarser grid, and an mlp with a depthwise convolution.
/// Its parameters are registered in the network.
class PvtBlock {
 public:
  PvtBlock(torch::nn::Module& network, const std::string& path,
           const PvtConfiguration& configuration, const PvtStage& stage);
  /// Maps [B, n, C] to [B, n, C].
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);

 private:
  struct Keys {
    torch::Tensor tokens;  ///< [B, keys, C]
    TokenGrid grid;
  };
  Keys reduce(const torch::Tensor& tokens, const TokenGrid& grid);
  torch::Tensor attend(const torch::Tensor& tokens, const TokenGrid& grid, Recorder* recorder);
  torch::Tensor mlp(const torch::Tensor& tokens, const TokenGrid& grid);

  std::string layer_;
  int heads_;
  bool isLinear_;
  Activation activation_;
  LayerNorm norm1_{nullptr};
  Linear query_{nullptr};
  Linear keyValue_{nullptr};
  Linear key_{nullptr};
  Linear value_{nullptr};
  Convolution reduction_{nullptr};
  LayerNorm reductionNorm_{nullptr};
  Linear projection_{nullptr};
  LayerNorm norm2_{nullptr};
  Linear expand_{nullptr};
  Convolution depthwise_{nullptr};
  Linear contract_{nullptr};
};

/// PVTv2 ("PVT v2: Improved Baselines with Pyramid Vision Transformer", 2021, arXiv 2106.13797): a
/// pyramid of overlapping patches without positions; the head sees the mean of the last stage.
class PvtNetwork final : public NetworkModule {
 public:
  explicit PvtNetwork(const PvtConfiguration& configuration);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  struct Stage {
    Convolution embedding{nullptr};
    LayerNorm embeddingNorm{nullptr};
    std::vector<PvtBlock> blocks;
    LayerNorm norm{nullptr};
  };

  PvtConfiguration configuration_;
  std::vector<Stage> stages_;
  Linear head_{nullptr};
};

}  // namespace softscope
