#pragma once

#include "core/model/Recorder.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// What the heads of a layer make of their tokens, before they are joined and projected.
struct HeadTerms {
  torch::Tensor attention;  ///< A V, [B, heads, n, d]
  torch::Tensor beside;     ///< what is added to it, as large; or undefined
  /// What the sum of both is multiplied by, entry by entry, as large; or undefined.
  torch::Tensor gate = {};
};

/// The sum of the terms, through the gate, with the heads side by side, [B, n, heads * d]: what
/// every attention layer projects. A recorder that looks at terms gets them here, each through the
/// gate, with the projection's `weight` [C, heads * d], and here the heads that it silences lose
/// their attention, for every picture.
torch::Tensor joinTerms(const HeadTerms& terms, const std::string& layer,
                        const torch::Tensor& weight, Recorder* recorder);

/// Whether `recorder` looks at terms.
bool looksAtTerms(Recorder* recorder);

/// Tells a recorder that looks at terms that a layer's `output` [B, ...] is added to `residual`;
/// `scale` [C] is the layer scale that is part of the output, or undefined.
void recordAddition(Recorder* recorder, const std::string& layer, const torch::Tensor& residual,
                    const torch::Tensor& output, const torch::Tensor& scale = {});

}  // namespace softscope
