#pragma once

#include "core/analysis/OverviewAnalysis.h"
#include "core/analysis/ShareAnalysis.h"
#include "core/analysis/cka/CkaAnalysis.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <vector>

namespace softscope {

/// Returns a map of layers x heads of one model. Its range contains the model's own numbers and
/// what uniform attention has, and is at least a tenth of the latter; for entries the colours
/// follow the powers of ten.
LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns what the numbers are, with their unit; for entries also how close they come to their
/// bound.
QString overviewMeaning(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns one head's number with its unit: `12.4 pixels`, or `−0.0012 to 0.0034, within ±48`.
QString overviewValueText(const LayerOverview& layer, int head, OverviewMeasure of);

/// Shows a map for each model under one colour scale. Throws InspectionError if no head has a
/// number.
PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns why a model has no such map: it makes no predictions, or nothing is added beside its
/// attention. Empty if it has one.
QString shareObstacle(const ModelShare& share, ShareReference of);

/// Returns a map of layers x heads with a column of whole layers, with the range of this model
/// alone. Colours follow the powers of ten. Knock-outs that change the predicted class are marked.
LayerHeadMap shareMap(const ModelShare& share, ShareReference of);

/// Returns what the numbers of a map are, and at which point of the network.
QString shareMeaning(ShareReference of);

/// Returns the smallest and largest value of each share, however large the one shown is: `attention
/// is 1.2×10⁻⁵ to 0.03 of the convolution beside it`.
QString shareSummary(const ModelShare& share);

/// Returns every raw magnitude of a head, or of the whole layer for -1.
QString shareText(const MeasuredShare& measured, int layer, int head);

/// Shows a map for each model under one colour scale. Throws InspectionError if no model has one.
PanelFigure shareFigure(const std::vector<MeasuredShare>& models, const ShareSettings& settings);

/// Shows a map of layers x layers, the largest of each row marked.
PanelFigure ckaFigure(const ModelCka& cka, const CkaSettings& settings);

}  // namespace softscope
