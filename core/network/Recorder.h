#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"
#include "core/model/InputTransform.h"

#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace softscope {

/// Tensors of a factored map, left * middle * right^T. A missing middle is the identity.
struct FactorTensors {
  torch::Tensor left;    ///< [heads, queries, r]
  torch::Tensor middle;  ///< [heads, r, r], or undefined
  torch::Tensor right;   ///< [heads, keys, r]; the same tensor as `left` if the map is symmetric
};

/// Tensors of a kernel map: softmax(scale * q k^T) over keys, or exp(-|q - k|^2 / 2).
struct KernelTensors {
  enum class Kernel { Softmax, Gaussian };
  Kernel kernel = Kernel::Softmax;
  torch::Tensor query;  ///< [heads, queries, d]
  torch::Tensor key;    ///< [heads, keys, d]
  double scale = 1;     ///< scale of the softmax's products; unused by Gaussian
};

/// A map stored as a full matrix because it is small: class attention and channel attention.
struct DenseTensors {
  torch::Tensor values;  ///< [heads, queries, keys]
};

/// A bottleneck in float64, from queries and keys that were projected in float64: [heads, m, m]
/// each. In float32, small eigenvalues are mostly rounding error, and inverses depend on the
/// smallest ones.
struct PreciseTensors {
  torch::Tensor bottleneck;
  /// R of the thin QR form of the outer factors (P, or K1 and K3^T); `right` is undefined if it
  /// equals `left`.
  torch::Tensor left;
  torch::Tensor right;
};

/// Tensors of a MixedSoftmaxMap, c + M softmax(L (scale q k^T) + B), whose mixtures are over heads.
struct MixtureTensors {
  torch::Tensor query;        ///< [f, queries, d]
  torch::Tensor key;          ///< [f, keys, d]
  double scale = 1;           ///< scale of the products of query and key
  torch::Tensor bias = {};    ///< tables of a RelativeBias [g, entries]; or undefined
  torch::Tensor before = {};  ///< L, [g, f]; undefined for the identity
  torch::Tensor after = {};   ///< M, [heads, g]; undefined for the identity
  torch::Tensor added = {};   ///< c, [heads]; undefined for zeros
};

/// Tensors of a BlockMap: attention within windows.
struct BlockTensors {
  torch::Tensor values;   ///< [heads, blocks, r, c]
  torch::Tensor rows;     ///< [blocks, r], int64: the query of each row, or -1 for padding
  torch::Tensor columns;  ///< [blocks, c], int64: the key of each column, or -1 for padding
  int queries = 0;
  int keys = 0;
};

/// Tensors of a map with a class of its own, such as a scan or a circulant, and how it is built.
struct BuiltTensors {
  using Parts = std::vector<MatrixStack>;
  std::vector<torch::Tensor> parts;  ///< [count, rows, columns] each
  /// Builds the map of the description from the parts, which are in host memory by then.
  std::function<std::shared_ptr<const AttentionMap>(const AttentionDescription&, const Parts&)>
      build;
};

/// The tensors of one attention layer, from which its AttentionMap is built.
struct AttentionRecord {
  std::string layer;
  /// The description without heads, queries and keys, which are filled in from the tensors.
  AttentionDescription description;
  std::variant<FactorTensors, KernelTensors, DenseTensors, MixtureTensors, BlockTensors,
               BuiltTensors>
      map;
  torch::Tensor queryL1 = {};            ///< [heads, queries], or undefined
  torch::Tensor keyL1 = {};              ///< [heads, keys], or undefined
  torch::Tensor bottleneck = {};         ///< [heads, m, m], or undefined
  torch::Tensor bottleneckInverse = {};  ///< [heads, m, m], or undefined
  /// Filters [heads, k, k] of a zero-padded convolution of V that is added to the attention head by
  /// head; undefined if there is none.
  torch::Tensor convolution = {};
  /// The exact kernel that the landmarks approximate, if there are any.
  std::optional<KernelTensors> exactKernel = std::nullopt;
  /// Present if the recorder wants precision and there are landmarks.
  std::optional<PreciseTensors> precise = std::nullopt;
  /// V, which the map multiplies, [heads, keys, d']; undefined for maps between channels.
  torch::Tensor value = {};
};

/// The terms of one layer's heads for the first picture, before the heads are joined. The layer's
/// output is the joined sum of both terms, multiplied by `weight`, plus terms that do not depend on
/// the heads. If a gate multiplies the sum elementwise before that, both terms are already
/// multiplied by it.
struct TermRecord {
  std::string layer;
  torch::Tensor attention;  ///< attention times V, [heads, n, d]
  torch::Tensor beside;  ///< term added to the attention head by head, [heads, n, d], or undefined
  torch::Tensor weight;  ///< weight of the output projection, [C, heads * d]
};

/// A layer's output and the residual stream it is added to, for the first picture. Holds only the
/// tokens that the layer writes to: for class attention, only the class token.
struct AdditionRecord {
  std::string layer;
  torch::Tensor residual;  ///< the residual stream, [n, C] or [C, H, W]
  torch::Tensor output;    ///< of the same shape, with the norm and `scale` applied
  torch::Tensor scale;     ///< [C], multiplies the projection channel by channel; or undefined
  /// The standard deviation of each token in a layer norm behind the projection, [n, 1]; undefined
  /// if there is none. The norm centres the projection and divides it by them; its weight is part
  /// of `scale`.
  torch::Tensor deviation = {};
};

/// Observes the terms that heads add to the residual stream, and can silence heads.
class TermObserver {
 public:
  virtual ~TermObserver() = default;
  /// Returns the heads of `layer` whose attention term A V is set to zero; their other terms stay.
  virtual std::vector<int> silencedHeads(const std::string& layer) const = 0;
  /// Receives A V of a layer, [B, heads, n, d], before heads are silenced, and returns the tensor
  /// of the same shape that the network goes on with: usually the one received, whose gradient can
  /// be asked for later.
  virtual torch::Tensor passOn(const std::string& /*layer*/, const torch::Tensor& attended) {
    return attended;
  }
  /// Called once per attention layer after its record, with the terms before silencing;
  /// recordAddition() follows.
  virtual void recordTerms(TermRecord record) = 0;
  virtual void recordAddition(AdditionRecord record) = 0;
};

/// The residual stream after one block, for the first picture.
struct TokenRecord {
  std::string layer;     ///< the block's attention layer
  torch::Tensor tokens;  ///< [n, C], with those before the patches first
  TokenGrid grid;        ///< how the patches lie on the picture
  /// The tensor that `tokens` is a view of, [B, n, C] or [B, C, H, W]. The network goes on with it,
  /// so that its gradient can be asked for.
  torch::Tensor all;
};

/// Receives what attention layers compute during a forward pass. Layers build a record only if
/// there is a recorder, so that recording costs nothing when it is not used.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Called once per attention layer, in the order in which layers run. May throw Cancelled.
  virtual void record(AttentionRecord record) = 0;
  /// Called now and then by long computations within a layer. May throw Cancelled.
  virtual void throwIfCancelled() const {}
  /// Returns true if bottlenecks should also be computed in float64.
  virtual bool wantsPrecision() const { return false; }
  /// Called after every block with attention, in the order in which blocks run. The tensors are
  /// views; nothing is copied.
  virtual void recordTokens(const TokenRecord&) {}
  /// Called with the result of a backbone without a head: all tokens after the final norm, [n, C].
  virtual void recordFeatures(const torch::Tensor&) {}
  /// Called by a network that prepares its input itself with the part of the input that it saw, in
  /// the input's pixels.
  virtual void recordSeen(const PictureRegion&) {}
  /// Returns the observer of terms. If it is null, layers spend no work on terms.
  virtual TermObserver* terms() { return nullptr; }
};

}  // namespace softscope
