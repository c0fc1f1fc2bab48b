#include "core/network/Inspector.h"

#include "core/network/InspectionRecorder.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"

#include <chrono>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Returns why no logit of the model can be differentiated; empty if one can.
std::string gradientObstacleOf(const Model& model, const Inspection& inspection) {
  const std::string obstacle = model.summary().obstacleTo("gradient of a class");
  if (!obstacle.empty() || !inspection.logits.empty()) return obstacle;
  return "the network has no head, so that there is no class whose gradient could be taken";
}

}  // namespace

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
  const std::string obstacle = gradientObstacleOf(model, *inspection);
  for (LayerInspection& layer : inspection->layers) layer.gradientObstacle = obstacle;
  if (options.logit && obstacle.empty()) {
    addGradientProducts(model, input, *options.logit, *inspection, progress);
  }
  inspection->device = model.network().device().str();
  inspection->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return inspection;
}

}  // namespace softscope
