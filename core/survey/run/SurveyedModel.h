#pragma once

#include "core/model/InputTransform.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"
#include "core/survey/SurveyPlan.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// A model that pictures are measured with.
struct SurveyedModel {
  /// As rows call it.
  std::string name;
  ModelRequest request;
  std::shared_ptr<const Model> model;
  InputTransform transform;
  /// Those of the model's layers that are measured, by their place among all.
  std::vector<int> layers;
  /// The logit of each of the pictures' classes; empty where that is not known.
  std::vector<int> logitOfClass;

  std::vector<LayerSummary> measuredLayers() const;
};

/// What a survey file says of a model. Reads the weights once more, for their fingerprint.
SurveyPlan::Model planOf(const SurveyedModel& model);

/// JSON of what was asked for when a model was opened, under the names of the command line's
/// options; what was left out is absent.
std::string requestJson(const ModelRequest& request);
std::string transformJson(const InputTransform& transform);

}  // namespace softscope
