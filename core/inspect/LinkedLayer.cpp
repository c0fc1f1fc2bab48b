#include "core/inspect/LinkedLayer.h"

#include <algorithm>

namespace softscope {

std::string linkedLayer(const std::vector<std::string>& layers, const std::string& name,
                        const std::vector<std::string>& otherLayers) {
  if (std::find(otherLayers.begin(), otherLayers.end(), name) != otherLayers.end()) return name;
  if (layers.empty()) return otherLayers.front();
  const auto found = std::find(layers.begin(), layers.end(), name);
  const auto index =
      found == layers.end() ? layers.size() - 1 : std::size_t(found - layers.begin());
  // The other layer's share of the depth contains the middle of this layer's share.
  const std::size_t other = (2 * index + 1) * otherLayers.size() / (2 * layers.size());
  return otherLayers[std::min(other, otherLayers.size() - 1)];
}

}  // namespace softscope
