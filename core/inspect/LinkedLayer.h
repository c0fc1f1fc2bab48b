#pragma once

#include <string>
#include <vector>

namespace softscope {

/// The layer of another model that belongs to `name`, of `layers`: of the same name, or else as
/// deep, relative to all of them. Both lists are in the order layers run, and `otherLayers` holds
/// at least one, the answer where `layers` holds none.
std::string linkedLayer(const std::vector<std::string>& layers, const std::string& name,
                        const std::vector<std::string>& otherLayers);

}  // namespace softscope
