#pragma once

#include "core/network/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

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

/// Returns true if `recorder` looks at terms.
bool looksAtTerms(Recorder* recorder);

/// Tells a recorder that looks at terms that a layer's `output` [B, ...] is added to `residual`.
/// `scale` [C] is the layer scale included in the output, or undefined.
void recordAddition(Recorder* recorder, const std::string& layer, const torch::Tensor& residual,
                    const torch::Tensor& output, const torch::Tensor& scale = {});

}  // namespace softscope
