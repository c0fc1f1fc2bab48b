#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/registry/AnalysisSettings.h"

#include <optional>
#include <vector>

namespace softscope {

class OpenModels;
struct OpenedModel;

/// Returns the layers that analyses examine, by their scope: the chosen layer or all, of the
/// current model or all models but those left out. Models that share a name are numbered as a
/// command line with just these models numbers them. Analyses that take maps show the chosen
/// channel's where a layer has such (`ofChannel`), all others the mean over channels.
std::vector<AnalysedLayer> analysedLayers(const OpenModels& models, const AnalysisScope& scope,
                                          bool ofChannel = false);

/// Returns the chosen layer of the current model, with the mean over channels; empty before an
/// inspection.
std::optional<AnalysedLayer> analysedLayer(const OpenModels& models);

/// Returns the open model that a layer is of, whether it shows a channel or the mean over channels;
/// null if none is.
const OpenedModel* openedModelOf(const OpenModels& models, const AnalysedLayer& layer);

}  // namespace softscope
