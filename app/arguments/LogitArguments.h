#pragma once

#include "core/attention/GradientProductMap.h"
#include "core/model/ModelSummary.h"
#include "widgets/settings/MapSettings.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Throws UsageError for `--class` given without `--map gradient`, or more than twice. Called
/// before a model is opened.
void checkLogit(const MapSettings& shown, const std::vector<std::string>& classes);

/// Returns the classes of `--class`, at most two, by the names or numbers of the model's classes.
/// Throws InspectionError for an unknown class.
LogitRequest namedLogit(const std::vector<std::string>& classes, const ModelSummary& summary);

/// Returns the logit that `--map gradient` and `--class` ask for; nothing for other maps. Throws
/// like namedLogit().
std::optional<LogitRequest> askedLogit(const MapSettings& shown,
                                       const std::vector<std::string>& classes,
                                       const ModelSummary& summary);

}  // namespace softscope
