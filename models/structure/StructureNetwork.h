#pragma once

#include "core/network/NetworkModule.h"
#include "models/structure/StructureAttention.h"

#include <optional>
#include <vector>

namespace softscope {

/// A transformer assembled from a description: patches, tokens beside them, positions, blocks,
/// head.
class StructureNetwork : public NetworkModule {
 public:
  StructureNetwork(const TransformerStructure& structure, const StructureSettings& settings);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  /// Tokens that stand beside each other in the sequence.
  struct TokenPart {
    torch::Tensor tokens;  ///< [1, m, C], or patches of every picture
    bool hasPositions = false;
    bool arePatches = false;
  };
  struct Block {
    StructureAttention attention;
    std::optional<StructureNorm> norm1, norm2;
    std::optional<StructureProduct> expand, contract;
    torch::Tensor scale1, scale2;
  };

  void addBlocks();
  torch::Tensor normedPixels(const torch::Tensor& pictures) const;
  torch::Tensor embed(const torch::Tensor& pictures) const;
  torch::Tensor resizedTable(const torch::Tensor& table, const TokenGrid& grid) const;
  torch::Tensor positionsFor(const TokenGrid& grid, const torch::Tensor& patches) const;
  std::vector<TokenPart> tokenParts(const torch::Tensor& patches) const;
  torch::Tensor withOthers(const torch::Tensor& patches, const TokenGrid& grid) const;
  torch::Tensor runBlock(Block& block, const torch::Tensor& tokens, const TokenGrid& grid,
                         Recorder* recorder) const;
  /// Returns tokens with what a block's attention adds to them.
  torch::Tensor withAttention(Block& block, const torch::Tensor& tokens, const TokenGrid& grid,
                              Recorder* recorder) const;
  /// Returns tokens with what a block's mlp adds to them when it sees `seen`.
  torch::Tensor withMlp(const Block& block, const torch::Tensor& tokens,
                        const torch::Tensor& seen) const;
  /// Returns tokens [B, n, C] with all single tokens first, as they are recorded.
  torch::Tensor recorded(const torch::Tensor& tokens) const;
  /// Returns what recorded() returned in the network's own order.
  torch::Tensor inOwnOrder(const torch::Tensor& recorded) const;
  torch::Tensor pool(const torch::Tensor& tokens) const;
  torch::Tensor classify(const torch::Tensor& pooled) const;

  TokenGrid gridOf(std::int64_t height, std::int64_t width) const;
  std::int64_t suffixTokens() const { return tokensBehind(structure_, settings_); }
  bool scalesSkips() const { return settings_.scalesSkips; }
  /// Returns true if attention and mlp see normed tokens.
  bool hasNormsBefore() const;
  /// Returns true if a half of a block adds to the normed tokens that it sees.
  bool addsToNormed(BlockHalf half) const;

  TransformerStructure structure_;
  StructureSettings settings_;
  torch::Tensor patchWeight_;
  torch::Tensor patchBias_;
  torch::Tensor pixelMean_;       ///< undefined unless the network norms pixels itself
  torch::Tensor pixelDeviation_;  ///< beside `pixelMean_`
  std::optional<StructureNorm> patchNormBefore_, patchNormAfter_;
  torch::Tensor classToken_;
  torch::Tensor registers_;
  torch::Tensor positions_;
  std::vector<Block> blocks_;
  std::optional<StructureNorm> norm_, poolingNorm_;
  std::vector<StructureProduct> head_;
};

}  // namespace softscope
