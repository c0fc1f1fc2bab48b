#include "core/survey/run/SurveyedModel.h"

#include "core/model/RequestJson.h"
#include "core/survey/ModelFingerprint.h"
#include "core/survey/TransformJson.h"

#include <filesystem>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// Returns the request as a survey keeps it: it may be opened from any folder.
ModelRequest keptRequest(ModelRequest request) {
  auto& names = request.classNames;
  if (names) names = std::filesystem::absolute(*names).string();
  return request;
}

}  // namespace

std::vector<LayerSummary> SurveyedModel::measuredLayers() const {
  std::vector<LayerSummary> measured;
  for (const int position : layers) {
    measured.push_back(model->summary().layers[static_cast<std::size_t>(position)]);
  }
  return measured;
}

SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading) {
  const ModelSummary& summary = model.model->summary();
  SurveyPlan::Model plan{.name = model.name,
                         .path = std::filesystem::absolute(model.request.path).string(),
                         .fingerprint = modelFingerprint(model.request.path),
                         .family = summary.family,
                         .variant = summary.variant,
                         .mechanism = summary.mechanism,
                         .parameters = summary.parameters,
                         .request = requestJson(keptRequest(model.request)),
                         .transform = transformJson(model.transform, reading),
                         .layers = {},
                         .logitOfClass = model.logitOfClass};
  const std::vector<LayerSummary> layers = model.measuredLayers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    plan.layers.push_back({.name = layers[i].name,
                           .position = model.layers[i],
                           .mechanism = layers[i].mechanism,
                           .heads = layers[i].heads});
  }
  return plan;
}

}  // namespace softscope
