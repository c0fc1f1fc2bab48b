#pragma once

#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"

#include <torch/types.h>

#include <optional>

namespace softscope {

/// The interface of a network that core needs; `models/` implements it. Immutable once built:
/// forward() may be called from several threads.
class Network {
 public:
  virtual ~Network() = default;

  /// Returns the logits [B, classes] for normalised pictures [B, 3, H, W] ([B, 1, H, W] if the
  /// network takes grey ones), or an undefined tensor for a backbone without a head. If `recorder`
  /// is not null, attention layers pass it what they compute for the first picture.
  virtual torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) = 0;

  /// Throws an InspectionError that says which sizes are possible if the architecture cannot take a
  /// picture of this size.
  virtual void checkInputSize(int height, int width) const = 0;

  /// Returns the device that holds the parameters.
  virtual torch::Device device() const = 0;
};

/// An additional interface of networks that can compute with any subset of their tokens, because no
/// part of them, such as a convolution or an average, needs all tokens in place.
class TokenSubsetNetwork {
 public:
  virtual ~TokenSubsetNetwork() = default;

  /// Returns the logits for a picture [1, 3, H, W] from only the patches whose indices, counted row
  /// by row, are in `kept` [k]; the other patches do not become tokens at all. Throws
  /// InspectionError if the result would depend on them.
  virtual torch::Tensor forwardTokens(const torch::Tensor& picture, const torch::Tensor& kept) = 0;
};

/// An additional interface of networks whose head can read the tokens behind any of their blocks,
/// because all blocks have tokens of the same kind.
class EarlyAnswerNetwork {
 public:
  virtual ~EarlyAnswerNetwork() = default;

  /// Returns the logits [B, classes] that the final norm and the head give to the tokens
  /// [B, prefix + n, C] behind a block, whose patches lie in `grid`. Undefined for a backbone
  /// without a head.
  virtual torch::Tensor answerEarly(const torch::Tensor& tokens, const TokenGrid& grid) = 0;
};

/// The weights through which a network reads its result from the tokens behind its last block.
struct FeatureTensors {
  torch::Tensor weight;  ///< of the final layer norm, [C]
  torch::Tensor bias;    ///< [C]
  double epsilon = 0;
  torch::Tensor projection;  ///< to a space that texts share, [C, width]; undefined without one
};

/// An additional interface of networks whose final norm acts on patches, so that they can be read
/// as the class token is.
class FeatureSpaceNetwork {
 public:
  virtual ~FeatureSpaceNetwork() = default;

  /// Returns nothing if the network has no final norm of its tokens.
  virtual std::optional<FeatureTensors> featureTensors() const = 0;
};

}  // namespace softscope
