#pragma once

#include "core/checkpoint/PickleValue.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// A state dict's names and the values under them.
using NamedValues = std::vector<std::pair<std::string, const PickleValue*>>;

/// The parameters and buffers of a pickled torch.nn.Module under the names that state_dict() would
/// give them; empty where the value is none. Nothing of the module's class is needed for it: they
/// lie in the object's dictionary. Throws Malformed for modules that hold themselves.
NamedValues moduleEntries(const PickleValue& value);

}  // namespace softscope
