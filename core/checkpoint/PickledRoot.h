#pragma once

#include "core/checkpoint/PickleValue.h"

namespace softscope {

class WorkBudget;

/// Returns the one item with named tensors if a file holds a list or a tuple, as that of
/// torch.save((epoch, model.state_dict()), ...), and the file's value itself if it is anything
/// else. Throws Malformed for several such items and for tensors without names.
const PickleValue& rootOfWeights(const PickleValue& value, WorkBudget& work);

}  // namespace softscope
