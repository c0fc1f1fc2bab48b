#include "models/recorded/RecordedNetwork.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

RecordedNetwork::RecordedNetwork(Recording recording) : recording_(std::move(recording)) {}

torch::Tensor RecordedNetwork::forward(const torch::Tensor&, Recorder* recorder) {
  if (recorder != nullptr && recorder->terms() != nullptr) {
    throw InspectionError(
        "a recording holds no weights, so what heads add to the tokens cannot be measured, nor a "
        "head left out; open the checkpoint that it was made of");
  }
  if (recorder != nullptr) {
    for (const RecordedLayer& layer : recording_.layers) recorder->record(layer.record);
  }
  return recording_.logits.defined() ? recording_.logits.unsqueeze(0) : torch::Tensor();
}

void RecordedNetwork::checkInputSize(int height, int width) const {
  const InputTransform& transform = recording_.transform;
  if (height == transform.height && width == transform.width) return;
  throw InspectionError("a recording holds no weights, so it cannot be run at " +
                        std::to_string(height) + " x " + std::to_string(width) +
                        "; it was made at " + std::to_string(transform.height) + " x " +
                        std::to_string(transform.width));
}

}  // namespace softscope
