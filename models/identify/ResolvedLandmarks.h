#pragma once

#include "core/model/ModelSummary.h"

namespace softscope {

/// Writes the landmarks chosen by `--landmarks` to a summary: which they are, and whether the model
/// was trained with others. Throws ModelError if the model's mechanism has no landmarks to choose.
void resolveLandmarks(const LandmarkChoice& choice, ModelSummary& summary);

}  // namespace softscope
