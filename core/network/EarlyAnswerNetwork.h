#pragma once

#include "core/attention/TokenGrid.h"

#include <torch/types.h>

namespace softscope {

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

}  // namespace softscope
