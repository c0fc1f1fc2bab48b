#pragma once

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What a network answers with a head's, or a whole layer's, attention term A V set to zero. What
/// stands beside the attention, the convolution of V in SOFT, stays. A change under about 1e-6 of
/// the logits is the rounding of float32.
struct Knockout {
  /// l2 norm of the difference of the logits, and that over the norm of the untouched logits.
  double logitChange = 0;
  double relativeChange = 0;
  /// The most probable class, counted from 0.
  int predictedClass = 0;
};

/// How large a head's attention term is. All norms are Frobenius norms over the tokens that the
/// layer writes to (prefix tokens included; the class token alone for class attention) and
/// channels.
struct HeadShare {
  /// |A V| before the output projection, over the head's d channels; through the gate where one
  /// multiplies it and what stands beside it.
  double attentionNorm = 0;
  /// At the same point, what is added to A V; nothing where a mechanism adds nothing.
  std::optional<double> besideNorm;
  /// A V through its part of the output projection, without bias, and through the layer scale where
  /// there is one: what reaches the residual stream, to be compared with `residualNorm`.
  double projectedNorm = 0;
  /// Nothing for a backbone without a head, and where none was asked for.
  std::optional<Knockout> knockout;

  /// Attention term over what stands beside it.
  std::optional<double> besideShare() const;
};

/// The shares of one layer on one picture.
struct LayerShare {
  std::string layer;
  std::string mechanism;
  std::vector<HeadShare> heads;
  /// Of all heads together: norms of their terms side by side, and of their projected sum.
  HeadShare whole;
  /// Of what the layer's output is added to: the block's input, or V in T2T-ViT's token modules.
  double residualNorm = 0;
  /// Of that output: attention and what is beside it, projected, with bias and layer scale.
  double outputNorm = 0;

  /// What `head` adds to the residual stream, over the residual stream.
  std::optional<double> residualShare(const HeadShare& head) const;
};

/// The shares of a model's layers on one picture.
struct ModelShare {
  std::vector<LayerShare> layers;
  /// Untouched; empty for a backbone without a head.
  std::vector<float> logits;
  /// Whether knock-outs were made. Without logits there are none.
  bool knockouts = false;

  /// The most probable class, counted from 0; nothing without logits.
  std::optional<int> predictedClass() const;
};

/// What `changed` differs from `logits` by. Both hold the same classes, at least one.
Knockout compareLogits(const std::vector<float>& logits, const std::vector<float>& changed);

/// What is asked of a model.
struct ShareRequest {
  /// One forward pass for each head and one for each layer of several.
  bool knockouts = true;
  /// Names of layers; empty for all.
  std::vector<std::string> layers;

  bool operator==(const ShareRequest&) const = default;
};

}  // namespace softscope
