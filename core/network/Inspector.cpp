#include "core/network/Inspector.h"

#include "core/network/InspectionRecorder.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"

#include <chrono>
#include <utility>

namespace softscope {

std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress,
                                          const InspectionOptions& options) {
  model.network().checkInputSize(input.height, input.width);
  progress.report(0, "Preparing the forward pass");

  const auto begin = std::chrono::steady_clock::now();
  InspectionRecorder recorder(model.summary().layers.size(), model.network().device(), options,
                              progress);
  std::vector<float> logits = runNetwork(model, input, &recorder);
  auto inspection = std::make_shared<Inspection>(recorder.take(std::move(logits)));
  inspection->inputHeight = input.height;
  inspection->inputWidth = input.width;
  inspection->device = model.network().device().str();
  inspection->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return inspection;
}

}  // namespace softscope
