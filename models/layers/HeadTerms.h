#pragma once

#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <torch/types.h>

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
torch::Tensor joinSummedTerms(const SummedTerms& terms, const std::string& layer,
                              const torch::Tensor& weight, Recorder* recorder);

/// Returns the terms of heads that stand side by side, [B, heads, n, d], as terms of all channels,
/// [B, heads, n, heads * d], with zeros in the other heads' channels.
torch::Tensor padHeads(const torch::Tensor& terms);

/// The terms that the heads of a layer compute for their tokens, before they are joined and
/// projected.
struct HeadTerms {
  torch::Tensor attention;  ///< A V, [B, heads, n, d]
  torch::Tensor beside;     ///< added to the attention, of the same shape; or undefined
  /// Multiplies the sum of both elementwise, of the same shape; or undefined.
  torch::Tensor gate = {};
};

/// Returns the sum of the terms, multiplied by the gate, with the heads side by side, [B, n, heads
/// * d]: the input of every attention layer's output projection. Passes the terms, each multiplied
/// by the gate, and the projection's `weight` [C, heads * d] to a recorder that looks at terms.
/// Heads that the recorder silences lose their attention here, for every picture.
torch::Tensor joinTerms(const HeadTerms& terms, const std::string& layer,
                        const torch::Tensor& weight, Recorder* recorder);

/// A layer norm that follows an output projection, and the layer scale that follows the norm.
struct NormBehind {
  torch::Tensor projected;  ///< what the projection returns, [B, n, C]
  LayerNorm norm{nullptr};
  torch::Tensor scale = {};  ///< [C]; or undefined
};

/// Returns true if `recorder` looks at terms.
bool looksAtTerms(Recorder* recorder);

/// Tells a recorder that looks at terms that a layer's `output` [B, ...] is added to `residual`.
/// `scale` [C] is the layer scale included in the output, or undefined.
void recordAddition(Recorder* recorder, const std::string& layer, const torch::Tensor& residual,
                    const torch::Tensor& output, const torch::Tensor& scale = {});

/// Does what recordAddition() does, for an output that passes through a norm behind the projection.
void recordNormedAddition(Recorder* recorder, const std::string& layer,
                          const torch::Tensor& residual, const torch::Tensor& output,
                          const NormBehind& behind);

}  // namespace softscope
