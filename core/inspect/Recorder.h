#pragma once

#include "core/attention/AttentionMap.h"

#include <torch/types.h>

#include <string>
#include <variant>

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
};

/// Takes what attention layers compute during a forward pass. Layers build a record only when there
/// is a recorder, so that recording costs nothing when nobody records.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Called once per attention layer, in the order they run. May throw Cancelled.
  virtual void record(AttentionRecord record) = 0;
};

}  // namespace softscope
