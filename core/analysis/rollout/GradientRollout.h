#pragma once

#include "core/Progress.h"
#include "core/analysis/rollout/Rollout.h"

namespace softscope {

/// Returns the rollout of attention times gradient of `token` of the layer at `of.index`, without
/// the token itself: what in the attention of all layers up to this one brings to the token
/// something that speaks for the class whose gradient the inspection holds. From the token that an
/// answer is read from, behind the last layer, it is that of ClassMethod::GradientRollout. Takes
/// the time of all rows that the flow goes through, at most n^2 (r + d') per layer, and memory of a
/// strip of rows. Throws InspectionError if a layer has no such gradient; may throw Cancelled.
Rollout rollOutGradients(const AnalysedLayer& of, int token, const Progress& progress = {});

}  // namespace softscope
