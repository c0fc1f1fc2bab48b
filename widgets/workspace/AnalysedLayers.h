#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/registry/AnalysisSettings.h"

#include <optional>
#include <vector>

namespace softscope {

class OpenModels;

/// Returns the layers that analyses examine, by their scope: the chosen layer or all, of the
/// current model or all models. Models that share a name are numbered as a command line with just
/// these models numbers them.
std::vector<AnalysedLayer> analysedLayers(const OpenModels& models, const AnalysisScope& scope);

/// Returns the chosen layer of the current model; empty before an inspection.
std::optional<AnalysedLayer> analysedLayer(const OpenModels& models);

}  // namespace softscope
