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
  /// The model's name in rows.
  std::string name;
  ModelRequest request;
  std::shared_ptr<const Model> model;
  InputTransform transform;
  /// Indices of the measured layers among all layers of the model.
  std::vector<int> layers;
  /// Index of the logit of each of the pictures' classes; empty if unknown.
  std::vector<int> logitOfClass;

  std::vector<LayerSummary> measuredLayers() const;
};

/// Returns a model's description for a survey file, given how pictures are read. Reads the weights
/// again for their fingerprint.
SurveyPlan::Model planOf(const SurveyedModel& model, const PictureReading& reading = asPublished);

}  // namespace softscope
