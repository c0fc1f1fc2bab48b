#pragma once

#include "app/arguments/ModelArguments.h"
#include "app/arguments/ProgressLine.h"
#include "core/survey/PictureList.h"
#include "core/survey/run/PictureMeasurement.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// How pictures are prepared for a model.
using TransformChoice = std::function<InputTransform(const Model&)>;

/// Opens the models of the command line to measure pictures with; `layers` are names or patterns,
/// of which each must mean a layer of some model. Says on `line` where the pictures' classes are
/// not a model's. Throws what opening them throws, and InspectionError for recordings.
std::vector<SurveyedModel> openSurveyedModels(const ModelArguments& arguments,
                                              const std::vector<std::string>& layers,
                                              const TransformChoice& transform,
                                              const PictureList& pictures, ProgressLine& line,
                                              const Progress& progress);

/// How many pictures are worked on at once: `threads`, or one on every core.
int workersFor(int threads);

}  // namespace softscope
