#pragma once

#include "core/Progress.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/network/GradientRun.h"
#include "core/network/Network.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace softscope {

/// Rolls the product of attention and gradient out over all layers; `gradients` holds ∂y/∂(A V) of
/// each, [heads, n, d'], undefined where y does not depend on it. As published, one row r of R goes
/// through the layers: it starts at the tokens that the answer is read from, with equal weights
/// that sum to one (the rows of the last layer that have a gradient: a class token, or all patches
/// where their mean is classified), becomes r + r E in each layer from the last to the first, and
/// ends on the patches without what it started with. Between different grids, the patches' values
/// are shared out by area. Throws InspectionError if a layer's keys are no patches, or if no layer
/// has a gradient; may throw Cancelled.
ClassMap rollOutClass(const std::vector<GradientRecorder::Layer>& layers,
                      const std::vector<torch::Tensor>& gradients, AttentionEntries entries,
                      const Progress& progress);

/// One differentiable forward pass on one picture, and the maps that its gradients give.
class ClassMapPass {
 public:
  /// Runs the network on a picture [1, 3, H, W], whose element type is that of the parameters.
  /// Throws InspectionError for a network without classes. All must outlive the pass.
  ClassMapPass(Network& network, const torch::Tensor& picture, const Progress& progress);

  /// Returns the logits in float64, [classes].
  torch::Tensor logits() const;
  /// Takes the gradient of the logit of a class. Call it before the maps.
  void differentiate(int classIndex);

  /// Returns the attention of every layer, and ∂y/∂(A V) of each, [heads, n, d'], which is
  /// undefined where y does not depend on it.
  const std::vector<GradientRecorder::Layer>& layers() const { return recorder_.layers(); }
  const std::vector<torch::Tensor>& layerGradients() const { return layerGradients_; }

  /// Each of the functions for maps throws InspectionError if the network has no such map.
  ClassMap gradientRollout(AttentionEntries entries) const;
  ClassMap leGrad(AttentionEntries entries) const;
  /// Returns the map of tokens times their gradient, at the block of attention layer `layer` or, if
  /// that is empty, at the last block whose patches have a gradient. Patches that reach the answer
  /// through a layer norm alone have no product with it: the norm does not see their length, so
  /// that the sum over channels is zero.
  ClassMap gradientTokens(const std::string& layer) const;
  ClassMap gradCam(const std::string& layer) const;
  /// Returns the map of integrated gradients, on the grid of the network's first patches.
  ClassMap integratedGradients(int points) const;

 private:
  /// The patches behind a block and the gradient with respect to them, [n, C] each.
  struct BlockGradient {
    std::string layer;
    TokenGrid grid;
    torch::Tensor patches;
    torch::Tensor gradient;
  };

  /// Returns the blocks of `layer`, or all if it is empty, whose patches have a gradient, the last
  /// one first. Throws InspectionError if there is none.
  std::vector<BlockGradient> blockGradients(const std::string& layer) const;
  /// Returns the gradient of the early answer behind the block with respect to A V of its layer,
  /// [heads, n, d'].
  torch::Tensor earlyGradient(const GradientRecorder::Layer& layer) const;

  Network& network_;
  const Progress& progress_;
  GradientRecorder recorder_;
  torch::Tensor picture_;
  torch::Tensor logits_;
  int classIndex_ = 0;
  std::vector<torch::Tensor> layerGradients_;
  /// ∂y/∂X of each block, as large as its tokens; undefined where y does not depend on them.
  std::vector<torch::Tensor> blockGradients_;
};

}  // namespace softscope
