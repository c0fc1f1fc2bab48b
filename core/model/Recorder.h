#pragma once

#include "core/attention/AttentionMap.h"

#include <torch/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// Tensors of a factored map, left * middle * right^T. A missing middle is the identity.
struct FactorTensors {
  torch::Tensor left;    ///< [heads, queries, r]
  torch::Tensor middle;  ///< [heads, r, r], or undefined
  torch::Tensor right;   ///< [heads, keys, r]; the same tensor as `left` where the map is symmetric
};

/// Tensors of a kernel map: softmax(scale * q k^T) over keys, or exp(-|q - k|^2 / 2).
struct KernelTensors {
  enum class Kernel { Softmax, Gaussian };
  Kernel kernel = Kernel::Softmax;
  torch::Tensor query;  ///< [heads, queries, d]
  torch::Tensor key;    ///< [heads, keys, d]
  double scale = 1;     ///< of the softmax's products; unused by Gaussian
};

/// A map held as it is, because it is small: class attention and channel attention.
struct DenseTensors {
  torch::Tensor values;  ///< [heads, queries, keys]
};

/// A bottleneck in float64, from queries and keys that were projected in float64: [heads, m, m]
/// each. What float32 leaves of small eigenvalues is rounding, and inverses hang on the smallest.
struct PreciseTensors {
  torch::Tensor bottleneck;
  /// R of the thin QR form of the outer factors (P, or K1 and K3^T); `right` undefined where it is
  /// the same as `left`.
  torch::Tensor left;
  torch::Tensor right;
};

/// Tensors of one attention layer: what its AttentionMap is made of.
struct AttentionRecord {
  std::string layer;
  /// heads, queries and keys are filled in from the tensors.
  AttentionDescription description;
  std::variant<FactorTensors, KernelTensors, DenseTensors> map;
  torch::Tensor queryL1;            ///< [heads, queries], or undefined
  torch::Tensor keyL1;              ///< [heads, keys], or undefined
  torch::Tensor bottleneck;         ///< [heads, m, m], or undefined
  torch::Tensor bottleneckInverse;  ///< [heads, m, m], or undefined
  /// Filters [heads, k, k] of a convolution of V, with zeros around, that is added to the attention
  /// head by head; undefined where there is none.
  torch::Tensor convolution = {};
  /// The exact kernel in whose place the landmarks stand, if they do.
  std::optional<KernelTensors> exactKernel = std::nullopt;
  /// Where the recorder wants precision and there are landmarks.
  std::optional<PreciseTensors> precise = std::nullopt;
};

/// What the heads of one layer make of the first picture before they are joined. The layer's output
/// is the joined sum of both, multiplied by `weight`, plus what does not depend on the heads. Where
/// a gate multiplies the sum of both, it multiplies each here.
struct TermRecord {
  std::string layer;
  torch::Tensor attention;  ///< attention times V, [heads, n, d]
  torch::Tensor beside;     ///< what is added to it head by head, [heads, n, d], or undefined
  torch::Tensor weight;     ///< of the output projection, [C, heads * d]
};

/// What a layer's output is added to, and that output, for the first picture and those of its
/// tokens that the layer writes to: the class token alone for class attention.
struct AdditionRecord {
  std::string layer;
  torch::Tensor residual;  ///< the residual stream, [n, C] or [C, H, W]
  torch::Tensor output;    ///< of the same shape; its `scale` included
  torch::Tensor scale;     ///< [C], multiplies the projection channel by channel; or undefined
};

/// Looks at the terms that heads add to the residual stream, and may leave some out.
class TermObserver {
 public:
  virtual ~TermObserver() = default;
  /// Heads of `layer` whose attention term A V is set to zero; what stands beside it stays.
  virtual std::vector<int> silencedHeads(const std::string& layer) const = 0;
  /// Called once per attention layer after its record, without what silencing changes; then the
  /// addition.
  virtual void recordTerms(TermRecord record) = 0;
  virtual void recordAddition(AdditionRecord record) = 0;
};

/// Takes what attention layers compute during a forward pass. Layers build a record only when there
/// is a recorder, so that recording costs nothing when nobody records.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Called once per attention layer, in the order they run. May throw Cancelled.
  virtual void record(AttentionRecord record) = 0;
  /// What takes long within a layer calls this now and then. May throw Cancelled.
  virtual void throwIfCancelled() const {}
  /// Whether bottlenecks are also computed in float64.
  virtual bool wantsPrecision() const { return false; }
  /// Who looks at terms; null where nobody does, and then layers do nothing for it.
  virtual TermObserver* terms() { return nullptr; }
};

}  // namespace softscope
