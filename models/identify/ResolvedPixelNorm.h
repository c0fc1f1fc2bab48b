#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// Writes into a model's transform the mean and deviation that its pictures are normalised with,
/// and into its settings who says so: `--mean` and `--std`; the file's metadata; the configuration
/// beside it, which is in the transform already; the name of a network that timm publishes; else
/// what published networks of its layout were trained with.
void resolvePixelNorm(const ModelHints& hints, DefinedModel& model);

}  // namespace softscope
