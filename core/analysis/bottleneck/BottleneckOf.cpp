#include "core/analysis/bottleneck/BottleneckOf.h"

#include "core/Error.h"
#include "core/attention/Mechanism.h"

#include <string>
#include <vector>

namespace softscope {

namespace {

const Matrix& ofHead(const std::vector<Matrix>& matrices, const LayerInspection& layer, int head) {
  if (matrices.empty()) {
    throw InspectionError("layer " + layer.name + " has no bottleneck matrix: its mechanism is " +
                          layer.attention->description().mechanism + "; choose a layer of " +
                          mechanismsWithBottleneck());
  }
  if (head < 0 || head >= static_cast<int>(matrices.size())) {
    throw InspectionError("head " + std::to_string(head) + " is outside 0 to " +
                          std::to_string(matrices.size() - 1));
  }
  return matrices[static_cast<std::size_t>(head)];
}

}  // namespace

const Matrix& bottleneckOf(const LayerInspection& layer, int head) {
  return ofHead(layer.bottleneck, layer, head);
}

const Matrix& bottleneckInverseOf(const LayerInspection& layer, int head) {
  return ofHead(layer.bottleneckInverse, layer, head);
}

}  // namespace softscope
