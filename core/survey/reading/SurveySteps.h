#pragma once

#include "core/array/Table.h"
#include "core/survey/reading/SurveyAnswer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// A measure of one head, layer or model over the steps of a training: the checkpoints of a survey
/// whose names differ in a number alone, such as `epoch_05` and `epoch_10`.
struct SurveyCurve {
  struct Point {
    std::int64_t step = 0;
    /// Index among the answer's series.
    std::size_t series = 0;
  };
  /// The checkpoints' common name, with a `*` for the step: `epoch_*`.
  std::string training;
  /// Name of the layer; empty for a measure of whole models. For a measure of layers or models,
  /// `head` is -1.
  std::string layer;
  int head = -1;
  std::optional<int> ofClass;
  /// In ascending order of the steps.
  std::vector<Point> points;
};

/// Returns why models with these names have no steps; empty if some are steps of one training.
std::string stepsObstacle(const std::vector<std::string>& models);

/// Returns the curves of every training, in the order of the trainings, layers and heads. Models
/// whose names differ in no number have none.
std::vector<SurveyCurve> curvesOverSteps(const SurveyAnswer& answer);

/// Returns `training,step,layer,head,measure,class,` and the columns of a summary, for every point
/// of every curve.
Table stepTable(const SurveyAnswer& answer);

}  // namespace softscope
