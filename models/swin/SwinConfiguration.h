#pragma once

#include "core/attention/TokenGrid.h"
#include "core/checkpoint/StateDict.h"
#include "models/layers/Products.h"

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The names of a Swin Transformer's parts in a file: the authors', timm's, torchvision's or
/// Hugging Face's. The libraries differ in how they pad and shift as well.
struct SwinNames {
  enum class Library { Authors, Timm, Torchvision, HuggingFace };
  Library library = Library::Authors;
  std::string prefix;     ///< what precedes the network's own names: `swin.`
  std::string embedding;  ///< path of the patch embedding, and of its norm
  std::string embeddingNorm;
  std::string positions;  ///< path of absolute positions, which few networks have
  // Names within a block.
  std::string norm1 = "norm1";
  std::string attention = "attn";
  std::string queryKeyValue = "attn.qkv";  ///< empty if there is one projection to each
  std::string query, key, value;
  std::string queryBias, valueBias;  ///< biases apart from their weights, in Swin V2
  std::string table = "attn.relative_position_bias_table";
  std::string index = "attn.relative_position_index";
  std::string scale = "attn.logit_scale";
  std::string coordinates = "attn.relative_coords_table";
  std::string positionMlp = "attn.cpb_mlp";
  std::string projection = "attn.proj";
  std::string norm2 = "norm2";
  std::string expand = "mlp.fc1";
  std::string contract = "mlp.fc2";
  std::string norm = "norm";
  std::string head = "head";

  /// Returns the part of a block's path that precedes the block's number, such as
  /// `layers.0.blocks.` for stage 0. Stages are counted from 0.
  std::string blocks(int stage) const;
  /// Returns the path of the merging of patches before a stage, counted from 0.
  std::string merging(int stage) const;
};

/// Returns the names that a state dict uses; nothing if it is of no Swin Transformer for pictures.
std::optional<SwinNames> swinNamesOf(const StateDict& state);

/// The windows of one block on a grid of tokens.
struct SwinWindows {
  TokenGrid window;
  TokenGrid shift{0, 0};
  /// True if the grid is padded after it was shifted, as in timm; otherwise before.
  bool padsAfterShift = false;
  /// Number of times that -100 is added to the scores between tokens of a window that lie on
  /// different sides of the picture: Hugging Face's Swin V2 adds it twice.
  int masks = 1;
};

/// The tokens of each window, and what keeps apart tokens that the shift brought together.
struct WindowTokens {
  /// The token of each place in each window, [windows, places], row-major; -1 for padding.
  torch::Tensor tokens;
  /// The place of each token among all places of all windows, [n].
  torch::Tensor places;
  /// Added to the scores of a shifted block, [windows, 1, places, places]; undefined without a
  /// shift.
  torch::Tensor mask;

  bool isPadded() const { return tokens.numel() > places.numel(); }
};

/// Divides a grid into windows: the grid is padded at the bottom and at the right to a multiple of
/// the window, and rolled up and to the left by the shift.
WindowTokens windowTokens(const TokenGrid& grid, const SwinWindows& windows,
                          const torch::Device& device);

/// Returns, for each pair of places in a window, the entry of its relative position in a table of
/// (2 h - 1) (2 w - 1) positions: [places * places], int64.
torch::Tensor relativePlaces(const TokenGrid& window, const torch::Device& device);

struct SwinStage {
  int channels = 0;
  int inner = 0;  ///< channels of queries, keys and values
  int heads = 1;
  int depth = 0;
  int hidden = 0;
  /// The window of blocks on a grid that is not smaller.
  TokenGrid window{7, 7};
  /// Rows of the table of biases; 0 in Swin V2, which computes its biases.
  int table = 0;
  /// Side of the windows that Swin V2's biases were trained with; 0 if it is the window itself.
  int pretrainedWindow = 0;
};

/// Sizes of a Swin Transformer. Names and shapes determine all of them but the windows of Swin V2,
/// the epsilon and the activation.
struct SwinConfiguration {
  SwinNames names;
  bool isV2 = false;
  int patch = 4;
  std::vector<SwinStage> stages;
  bool hasEmbeddingNorm = true;
  bool hasNorm = true;
  bool hasQueryBias = true;
  /// Hidden channels of Swin V2's position network.
  int positionChannels = 512;
  /// True if Swin V2's positions are in the file, as torchvision stores them.
  bool hasCoordinates = false;
  /// Number of absolute positions; 0 if there are none.
  int positions = 0;
  int classes = 0;
  /// Epsilon of the norms in blocks and of the last.
  double epsilon = 1e-5;
  Activation activation = Activation::Gelu;
  /// The picture that the network was made for.
  int imageHeight = 224;
  int imageWidth = 224;
  /// timm's `always_partition`: windows stay as they are on smaller grids.
  bool alwaysPartitions = false;
  /// timm's `dynamic_img_size`: windows are those of the picture that the network was made for.
  bool keepsWindows = false;
};

/// Returns the windows of block `block` (from 0) in stage `stage` (from 0) on a grid, as the
/// library whose names the network has computes them.
SwinWindows swinWindows(const SwinConfiguration& configuration, int stage, int block,
                        const TokenGrid& grid);

}  // namespace softscope
