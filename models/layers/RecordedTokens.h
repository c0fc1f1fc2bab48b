#pragma once

#include "core/attention/TokenGrid.h"
#include "core/network/Recorder.h"
#include "models/layers/Layers.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Passes the tokens [B, n, C] or the map [B, C, H, W] after the block of an attention layer to the
/// recorder, if there is one, and returns them.
inline torch::Tensor recordTokens(Recorder* recorder, const std::string& layer,
                                  const torch::Tensor& tokens, const TokenGrid& grid) {
  if (recorder != nullptr) {
    const torch::Tensor first = tokens[0];
    recorder->recordTokens({layer, first.dim() == 3 ? first.flatten(1).t() : first, grid, tokens});
  }
  return tokens;
}

/// Records a map [B, C, H, W], which determines the grid.
inline torch::Tensor recordTokens(Recorder* recorder, const std::string& layer,
                                  const torch::Tensor& map) {
  return recordTokens(recorder, layer, map, gridOf(map));
}

/// Passes the result of `features` for the last tokens, [B, n, C], to the recorder, if there is
/// one.
template <typename Features>
void recordFeatures(Recorder* recorder, const Features& features) {
  if (recorder != nullptr) recorder->recordFeatures(features()[0]);
}

}  // namespace softscope
