#pragma once

#include "core/model/ModelSummary.h"

namespace softscope {

/// Writes the landmarks that `--landmarks` chose into a summary: which, and whether the model was
/// trained with others. Throws ModelError for a model whose mechanism has none to choose.
void resolveLandmarks(const LandmarkChoice& choice, ModelSummary& summary);

}  // namespace softscope
