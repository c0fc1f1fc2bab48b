#pragma once

#include "core/model/InputTransform.h"

#include <string>

namespace softscope {

/// Returns true if the published networks of a family, ModelSummary::family, take pictures with
/// blue first. Softscope prepares every picture with red first, and these networks reverse the
/// channels themselves.
bool takesBlueFirst(const std::string& family);

/// Exchanges the first channel of an input and its last.
InputTensor withChannelsReversed(InputTensor input);

}  // namespace softscope
