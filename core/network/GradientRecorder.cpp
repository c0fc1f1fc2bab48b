#include "core/network/GradientRecorder.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

void GradientRecorder::Layer::requireAttended() const {
  if (attended.defined()) return;
  throw InspectionError(record.layer +
                        ": what its attention makes of V is not known, so nothing can be followed "
                        "through it");
}

void GradientRecorder::record(AttentionRecord record) {
  progress_.throwIfCancelled();
  layers_.push_back({std::move(record), {}});
}

void GradientRecorder::recordTokens(const TokenRecord& record) {
  blocks_.push_back({record.layer, record.grid, record.all});
}

torch::Tensor GradientRecorder::passOn(const std::string& layer, const torch::Tensor& attended) {
  for (Layer& of : layers_) {
    if (of.record.layer == layer) of.attended = attended;
  }
  return attended;
}

}  // namespace softscope
