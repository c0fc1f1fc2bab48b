#pragma once

#include "core/Progress.h"
#include "core/array/Table.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"
#include "widgets/settings/AnalysisSettings.h"

#include <optional>
#include <vector>

namespace softscope {

/// How far, or how widely, every head of a layer looks; nothing of a head whose queries or keys are
/// not patches.
struct LayerOverview {
  AnalysedLayer of;
  std::vector<std::optional<double>> heads;
};

/// Of each layer. May throw Cancelled.
std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers, OverviewOf of,
                                           const Progress& progress = {});

/// Layers x heads of one model, under the range of its own values.
LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers);

/// What the numbers are, with their unit.
QString overviewMeaning(OverviewOf of);

/// A map for each model under one colour scale. Throws InspectionError where no head has a number.
PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewOf of);

/// `model,layer,head,attention_distance` (in pixels of the network's input), or `...,entropy` (as a
/// share of ln(keys)).
Table overviewTable(const std::vector<LayerOverview>& layers, OverviewOf of);

}  // namespace softscope
