#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

namespace softscope {

/// Runs `model` on `input`, on the device the model was opened on, and records every attention
/// layer. Throws InspectionError if the architecture cannot take that size, and Cancelled if asked
/// to stop.
std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress = {},
                                          const InspectionOptions& options = {});

/// Multiplies the attention of each layer of `inspection`, which is of this model and input, with
/// the gradient of a logit. Layers without such a gradient are given the reason, and so are all
/// layers if there is no such class. Throws MemoryError and Cancelled.
void addGradientProducts(const Model& model, const InputTensor& input, const LogitRequest& logit,
                         Inspection& inspection, const Progress& progress);

}  // namespace softscope
