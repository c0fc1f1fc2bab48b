#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/registry/AnalysisSettings.h"

#include <optional>
#include <vector>

namespace softscope {

class OpenModels;

/// What analyses are of, by their scope: the chosen layer or all, of the current model or all.
/// Models that share a name are numbered as a command line with these alone numbers them.
std::vector<AnalysedLayer> analysedLayers(const OpenModels& models, const AnalysisScope& scope);

/// The chosen layer of the current model alone; nothing before an inspection.
std::optional<AnalysedLayer> analysedLayer(const OpenModels& models);

}  // namespace softscope
