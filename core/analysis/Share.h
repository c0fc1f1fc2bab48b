#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The network's answer with the attention term A V of a head, or of a whole layer, set to zero.
/// The term added beside the attention, such as SOFT's convolution of V, stays. A change below
/// about 1e-6 of the logits is float32 rounding.
struct Knockout {
  /// l2 norm of the difference of the logits, and its ratio to the norm of the untouched logits.
  double logitChange = 0;
  double relativeChange = 0;
  /// The most probable class, counted from 0; empty if a logit is NaN.
  std::optional<int> predictedClass = {};
};

/// How large a head's attention term is. All norms are Frobenius norms over the tokens that the
/// layer writes to (prefix tokens included; the class token alone for class attention) and
/// channels.
struct HeadShare {
  /// |A V| before the output projection, over the head's d channels; after the gate if a gate
  /// multiplies the sum of A V and the term beside it.
  double attentionNorm = 0;
  /// Norm of the term added to A V at the same point; empty if the mechanism adds none.
  std::optional<double> besideNorm;
  /// Norm of A V after its part of the output projection, without bias, and after the norm and the
  /// layer scale behind the projection if there are any: the norm centres the term, and divides it
  /// by the deviations of all terms together. This is what reaches the residual stream; compare it
  /// with `residualNorm`.
  double projectedNorm = 0;
  /// The effect of silencing the head; empty for a backbone without a classifier, and if no
  /// knock-outs were asked for.
  std::optional<Knockout> knockout;

  /// Returns the ratio of attentionNorm to besideNorm; empty if there is no besideNorm.
  std::optional<double> besideShare() const;
};

/// The shares of one layer on one picture.
struct LayerShare {
  std::string layer;
  std::string mechanism;
  std::vector<HeadShare> heads;
  /// All heads together: norms of their concatenated terms, and of the sum of their projected
  /// terms.
  HeadShare whole;
  /// Norm of the tensor that the layer's output is added to: the block's input, or V in T2T-ViT's
  /// token modules.
  double residualNorm = 0;
  /// Norm of the layer's output: attention and the term beside it, projected, with bias, norm and
  /// layer scale.
  double outputNorm = 0;

  /// Returns the ratio of what `head` adds to the residual stream to the residual stream itself.
  std::optional<double> residualShare(const HeadShare& head) const;
};

/// The shares of a model's layers on one picture.
struct ModelShare {
  std::vector<LayerShare> layers;
  /// Logits of the untouched network; empty for a backbone without a classifier.
  std::vector<float> logits;
  /// False for a network in another process before its knock-outs, which tell its norms, and if it
  /// does not tell them: all are 0 then.
  bool hasNorms = true;
  /// True if knock-outs were made. Without logits there are none.
  bool knockouts = false;

  /// Returns the most probable class, counted from 0; empty if there are no logits.
  std::optional<int> predictedClass() const;
};

/// Returns the memory that the shares take, in bytes.
std::size_t bytesOf(const std::shared_ptr<const ModelShare>& share);

/// Compares the logits after a knock-out with the untouched ones. Both hold the same classes, at
/// least one.
Knockout compareLogits(const std::vector<float>& logits, const std::vector<float>& changed);

/// Options of a measurement of shares.
struct ShareRequest {
  /// True to run one forward pass without each head, and one without each layer that has several
  /// heads.
  bool knockouts = true;
  /// Names of the layers to measure; empty for all.
  std::vector<std::string> layers;

  bool operator==(const ShareRequest&) const = default;
};

}  // namespace softscope
