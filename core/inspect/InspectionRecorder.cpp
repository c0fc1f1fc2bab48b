#include "core/inspect/InspectionRecorder.h"

#include "core/inspect/MapBuilder.h"

#include <utility>

namespace softscope {

void InspectionRecorder::record(AttentionRecord record) {
  std::vector<LayerInspection>& layers = inspection_.layers;
  layers.push_back(buildLayerInspection(record));
  progress_.report(static_cast<double>(layers.size()) / static_cast<double>(expected_ + 1),
                   "Layer " + record.layer);
}

void InspectionRecorder::recordFeatures(const torch::Tensor& features) {
  inspection_.features = matrixOf(features);
}

Inspection InspectionRecorder::take(std::vector<float> logits) {
  inspection_.logits = std::move(logits);
  return std::exchange(inspection_, {});
}

}  // namespace softscope
