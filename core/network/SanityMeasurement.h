#pragma once

#include "core/Progress.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns the parts whose weights measureSanity() draws anew, in that order: what reads the answer
/// (`head`), the blocks of attention layers from the last to the first (`blocks.11`), and what the
/// network registers before all of them (`embedding`). What it registers behind a block, such as
/// the embedding of the next stage, belongs to the block that runs next, or behind the last one to
/// the head. Parts without parameters are left out.
std::vector<std::string> randomisedParts(const Model& model);

/// Computes the class maps of a model, then draws the weights of one part after the other anew,
/// from a Gaussian with each tensor's own mean and deviation, and compares the maps of the same
/// class.
/// **Changes the model**, which nobody else may use then. Throws like measureClassMaps().
ModelSanity measureSanity(const Model& model, const InputTensor& input,
                          const ClassMapRequest& request, const Progress& progress = {});

}  // namespace softscope
