#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <string>

namespace softscope {

/// Terms of heads that write to the same channels and are summed, rather than joined side by side.
struct SummedTerms {
  torch::Tensor attention;  ///< A V, [B, heads, n, E]
  torch::Tensor beside;  ///< added to the attention head by head, of the same shape; or undefined
  LayerNorm norm{nullptr};  ///< normalises the sum, if there is one
  torch::Tensor gate = {};  ///< multiplies what follows, [B, n, E]; or undefined
};

/// Returns gate * norm(the sum of all terms), [B, n, E]: the input of an output projection. Passes
/// the terms to a recorder that looks at terms as the layer's output has them: a norm is linear
/// once its deviations are known, so each term is centred, divided by them and multiplied by the
/// norm's weight and the gate. Every head then has all E channels, and the projection's `weight`
/// [C, E] counts for each head. Heads that the recorder silences lose their attention here.
torch::Tensor joinSummedTerms(const SummedTerms& terms, double epsilon, const std::string& layer,
                              const torch::Tensor& weight, Recorder* recorder);

/// Returns the terms of heads that stand side by side, [B, heads, n, d], as terms of all channels,
/// [B, heads, n, heads * d], with zeros in the other heads' channels.
torch::Tensor padHeads(const torch::Tensor& terms);

}  // namespace softscope
