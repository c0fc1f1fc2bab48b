#pragma once

#include "core/Progress.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class Network;

/// Calls `run` with a model's network and the picture on its device, [1, channels, height, width],
/// where gradients can be computed. `what` names what needs them, such as `gradient of a class`.
/// Throws InspectionError for a network whose weights are not here, and if the architecture cannot
/// take an input of that size or memory is insufficient, and anything else that `run` throws.
void runForGradients(const Model& model, const InputTensor& input, const char* what,
                     const std::function<void(Network&, const torch::Tensor& picture)>& run);

/// Returns the gradient of `scalar` with respect to each of `inputs`: undefined where it does not
/// depend on them. The graph stays, for further gradients.
std::vector<torch::Tensor> gradientsOf(const torch::Tensor& scalar,
                                       const std::vector<torch::Tensor>& inputs);

/// Returns the index of a class. Throws InspectionError unless it is one of `classes`, from 0.
int checkedClass(int classIndex, int classes);

/// Returns the class that is asked for: `classIndex`, checked as by checkedClass(), or without it
/// the one that `logits` [classes] predict. Throws InspectionError if one of them is NaN.
int askedClass(const torch::Tensor& logits, const std::optional<int>& classIndex);

/// Keeps the tensors of a forward pass whose gradients say what a logit owes to them.
class GradientRecorder final : public Recorder, public TermObserver {
 public:
  /// The attention of a layer.
  struct Layer {
    AttentionRecord record;
    torch::Tensor attended;  ///< A V, [1, heads, n, d'], as the network goes on with it

    /// Throws InspectionError if the network did not pass on A V, so that it is not known whether
    /// anything depends on it.
    void requireAttended() const;
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
  void recordSeen(const PictureRegion& part) override { seen_ = part; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  torch::Tensor passOn(const std::string& layer, const torch::Tensor& attended) override;
  void recordTerms(TermRecord) override {}
  void recordAddition(AdditionRecord) override {}

  const std::vector<Layer>& layers() const { return layers_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The part of the input that the tokens' grids cover, in its pixels; empty if that is all of it.
  const std::optional<PictureRegion>& seen() const { return seen_; }

 private:
  const Progress& progress_;
  std::vector<Layer> layers_;
  std::vector<Block> blocks_;
  std::optional<PictureRegion> seen_;
};

}  // namespace softscope
