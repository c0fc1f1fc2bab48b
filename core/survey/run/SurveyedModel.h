#pragma once

#include "core/image/PictureReading.h"
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

/// What a survey file says of a model, whose pictures are read like that. Reads the weights once
/// more, for their fingerprint.
SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading = asPublished);

/// JSON of how pictures are read and prepared.
std::string transformJson(const InputTransform& transform,
                          const PictureReading& reading = asPublished);

}  // namespace softscope
