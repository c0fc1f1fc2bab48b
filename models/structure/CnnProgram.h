#pragma once

#include "models/structure/NonLocalUnits.h"

#include <string>
#include <vector>

namespace softscope {

/// Lays the units out as a list of steps says, in JSON: `["conv", PATH, inputs, outputs, kernel,
/// stride, padding, bias]`, `["bn", PATH, channels]`, `["relu"]`, `["maxpool", side]`,
/// `["flatten"]`,
/// `["linear", PATH, inputs, outputs]` and `["nonlocal", {"path": PATH, ...}]`. Throws ModelError
/// for a step that it does not know, or that the units do not fit, and for units without a step.
NonLocalCnnStructure cnnOfProgram(const std::string& program, const std::vector<TensorUnit>& units,
                                  const std::vector<FoundNonLocal>& blocks);

}  // namespace softscope
