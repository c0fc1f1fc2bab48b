#pragma once

#include "core/inspect/InspectionOptions.h"

namespace softscope {

/// Runs `model` on `input`, on the device the model was opened on, and records every attention
/// layer. Throws InspectionError if the architecture cannot take that size, and Cancelled if asked
/// to stop.
std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress = {},
                                          const InspectionOptions& options = {});

}  // namespace softscope
