#pragma once

#include "core/Progress.h"
#include "core/analysis/bottleneck/Convergence.h"
#include "core/array/Table.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/AnalysisSettings.h"

#include <string>
#include <vector>

namespace softscope {

/// How the iteration of each of a layer's heads comes near the inverse, or why there is none.
struct LayerConvergence {
  AnalysedLayer of;
  InverseScheme scheme = InverseScheme::Soft;
  std::vector<ConvergenceCurves> heads;
  std::string obstacle;
};

/// Of every head of each layer, by the scheme that was chosen or each mechanism's own. May throw
/// Cancelled.
std::vector<LayerConvergence> computeConvergence(const std::vector<AnalysedLayer>& layers,
                                                 const ConvergenceSettings& settings,
                                                 const Progress& progress = {});

/// Three plots against the step k: the residual |B V B - B| / |B| (SOFT, Fig. 4) with the one
/// against the raw A dashed where B is another matrix, the distance to pinv(B), and the reflexive
/// residual. The first step at which a residual is at most 1e-3 is marked.
std::vector<Plot> convergencePlots(const std::vector<LayerConvergence>& layers);

/// What the curves say in a sentence: how many heads reach 1e-3, when, and how many fall with every
/// step until their floor.
std::string convergenceSummary(const std::vector<LayerConvergence>& layers);

PanelFigure convergenceFigure(const std::vector<LayerConvergence>& layers,
                              const ConvergenceSettings& settings);

/// `model,layer,head,scheme,iteration,residual,residual_raw,inverse_distance,reflexive_residual`
Table convergenceTable(const std::vector<LayerConvergence>& layers);

}  // namespace softscope
