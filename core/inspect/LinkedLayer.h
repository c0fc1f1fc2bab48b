#pragma once

#include <string>
#include <vector>

namespace softscope {

/// Returns the layer of another model that corresponds to `name` in `layers`: the one with the same
/// name, or else the one at the same relative depth. Both lists are in the order in which layers
/// run. `otherLayers` must not be empty; its first layer is the answer if `layers` is empty.
std::string linkedLayer(const std::vector<std::string>& layers, const std::string& name,
                        const std::vector<std::string>& otherLayers);

}  // namespace softscope
