#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// Writes the mean and deviation for normalising pictures to a model's transform, and their source
/// to its settings: `--mean` and `--std`; the file's metadata; the configuration beside it, which
/// is already in the transform; the name of a network that timm publishes; or else what published
/// networks of its layout were trained with.
void resolvePixelNorm(const ModelHints& hints, DefinedModel& model);

}  // namespace softscope
