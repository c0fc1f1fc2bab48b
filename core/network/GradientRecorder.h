#pragma once

#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace softscope {

/// Keeps the tensors of a forward pass whose gradients say what a logit owes to them.
class GradientRecorder final : public Recorder, public TermObserver {
 public:
  /// The attention of a layer.
  struct Layer {
    AttentionRecord record;
    torch::Tensor attended;  ///< A V, [1, heads, n, d'], as the network goes on with it
  };
  /// The tokens behind a block.
  struct Block {
    std::string layer;  ///< the block's attention layer
    TokenGrid grid;
    torch::Tensor tokens;  ///< [1, n, C] or [1, C, H, W], as the network goes on with them
  };

  /// The progress must outlive the recorder.
  explicit GradientRecorder(const Progress& progress) : progress_(progress) {}

  TermObserver* terms() override { return this; }
  void record(AttentionRecord record) override;
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  void recordTokens(const TokenRecord& record) override;
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  torch::Tensor passOn(const std::string& layer, const torch::Tensor& attended) override;
  void recordTerms(TermRecord) override {}
  void recordAddition(AdditionRecord) override {}

  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  const Progress& progress_;
  std::vector<Layer> layers_;
  std::vector<Block> blocks_;
};

}  // namespace softscope
