#include "core/network/InspectionRecorder.h"

#include "core/network/MapBuilder.h"
#include "core/text/Words.h"

#include <torch/cuda.h>

#include <string>
#include <utility>

namespace softscope {

void InspectionRecorder::record(AttentionRecord record) {
  const std::string layer = record.layer;
  if (device_.is_cpu()) {
    inspection_.layers.push_back(buildLayerInspection(record));
  } else {
    copied_.push_back(copiedFromGpu(std::move(record)));
  }
  progress_.report(static_cast<double>(inspection_.layers.size() + copied_.size()) /
                       static_cast<double>(expected_ + 1),
                   "Layer " + shortLayerName(layer));
}

void InspectionRecorder::recordFeatures(const torch::Tensor& features) {
  inspection_.features = matrixOf(features);
}

Inspection InspectionRecorder::take(std::vector<float> logits) {
  inspection_.logits = std::move(logits);
  if (!copied_.empty()) torch::cuda::synchronize(device_.index());
  for (const AttentionRecord& record : std::exchange(copied_, {})) {
    inspection_.layers.push_back(buildLayerInspection(record));
  }
  return std::exchange(inspection_, {});
}

}  // namespace softscope
