#pragma once

#include "core/checkpoint/PickledModule.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns true for an array that NumPy pickled.
bool isNumpyArray(const PickleValue& value);

/// Removes the values that are no tensors from the entries of a state dict, and returns them.
NamedValues takeOtherValues(NamedValues& entries);

/// Returns the names of those of `others`, the values that are no tensors in a state dict, that
/// stand below `prefix` in modules of its `tensors`; of many, the first. Throws Malformed if one is
/// a weight in another form, such as NumPy's array, which PyTorch's load_state_dict() refuses:
/// without it, the rest is another network.
std::vector<std::string> valuesInModules(const NamedValues& tensors, const NamedValues& others,
                                         const std::string& prefix);

}  // namespace softscope
