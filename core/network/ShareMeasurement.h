#pragma once

#include "core/Progress.h"
#include "core/analysis/Share.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>

namespace softscope {

/// Measures the terms of every head in one forward pass, and makes each requested knock-out in a
/// pass of its own. Throws InspectionError if the architecture cannot take an input of that size or
/// has no layer with a requested name; throws Cancelled if asked to stop.
std::shared_ptr<const ModelShare> measureShare(const Model& model, const InputTensor& input,
                                               const ShareRequest& request = {},
                                               const Progress& progress = {});

}  // namespace softscope
