#include "core/inspect/TokenInspection.h"

#include "core/Error.h"

namespace softscope {

std::size_t TokenInspection::indexOf(const std::string& layer) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].layer == layer) return i;
  }
  throw InspectionError(layer + ": the block of this layer has no tokens to look at");
}

}  // namespace softscope
