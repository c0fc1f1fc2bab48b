#pragma once

#include "app/arguments/CommandProgress.h"
#include "app/arguments/ModelArguments.h"
#include "core/survey/PictureList.h"
#include "core/survey/run/PictureMeasurement.h"

#include <functional>
#include <string>
#include <vector>

namespace softscope {

/// Returns how pictures are prepared for a model.
using TransformChoice = std::function<InputTransform(const Model&)>;

/// Returns the models' names: those given by `--name`, or else stepNames(); no name occurs twice.
std::vector<std::string> surveyedNames(const ModelArguments& arguments);

/// Opens the models of the command line that measure pictures of `size`, the value of `--size`.
/// `layers` holds names or patterns, each of which must match a layer of some model. Reports on
/// `line` if the pictures' classes are not those of a model. Throws what opening the models throws,
/// and InspectionError for recordings.
std::vector<SurveyedModel> openSurveyedModels(const ModelArguments& arguments,
                                              const std::vector<std::string>& layers,
                                              const TransformChoice& transform,
                                              const std::string& size, const PictureList& pictures,
                                              ProgressLine& line, const Progress& progress);

/// Returns the number of pictures to process at once: `threads`, or one per core.
int workersFor(int threads);

}  // namespace softscope
