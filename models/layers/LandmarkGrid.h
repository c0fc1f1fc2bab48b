#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/LandmarkTokens.h"

#include <torch/types.h>

#include <optional>
#include <string>

namespace softscope {

/// Describes landmarks that each stand for a window of ratio x ratio tokens; a remainder at the
/// right or bottom has none.
void describeLandmarks(AttentionDescription& description, int ratio);
/// Describes what chosen landmarks stand for.
void describeLandmarks(AttentionDescription& description, const LandmarkTokens& landmarks);

/// Applies a choice to landmarks that are trained to stand for windows of ratio x ratio tokens;
/// returns nothing if they stay as trained. Throws InspectionError as chosenTokens() does.
std::optional<LandmarkTokens> chosenLandmarks(const LandmarkChoice& choice, const TokenGrid& grid,
                                              int ratio, const std::string& layer);

/// Returns the mean of each landmark's tokens: [..., n, d] -> [..., m, d].
torch::Tensor landmarkMeans(const torch::Tensor& tokens, const LandmarkTokens& landmarks);

}  // namespace softscope
