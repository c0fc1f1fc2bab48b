#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/LandmarkTokens.h"

#include <torch/types.h>

#include <optional>
#include <string>

namespace softscope {

/// Says that each window of ratio x ratio tokens has one landmark, a rest at the right or bottom
/// none.
void describeLandmarks(AttentionDescription& description, int ratio);
/// Says what chosen landmarks stand for.
void describeLandmarks(AttentionDescription& description, const LandmarkTokens& landmarks);

/// What a choice makes of landmarks that are trained to stand for windows of ratio x ratio tokens;
/// nothing where they are as trained. Throws InspectionError as chosenTokens() does.
std::optional<LandmarkTokens> chosenLandmarks(const LandmarkChoice& choice, const TokenGrid& grid,
                                              int ratio, const std::string& layer);

/// The means of each landmark's tokens: [..., n, d] -> [..., m, d].
torch::Tensor landmarkMeans(const torch::Tensor& tokens, const LandmarkTokens& landmarks);

}  // namespace softscope
