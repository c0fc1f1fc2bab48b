#pragma once

#include "core/analysis/ShareTable.h"
#include "core/analysis/registry/AnalysisSettings.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/LayerHeadPainter.h"

#include <vector>

namespace softscope {

/// Why there is no such map of a model: it predicts nothing, or nothing stands beside its
/// attention. Empty where there is one.
QString shareObstacle(const ModelShare& share, ShareOf of);

/// Layers x heads and whole layers; the range is of this model alone. Colours follow the powers of
/// ten. Knock-outs after which another class is predicted are marked.
LayerHeadMap shareMap(const ModelShare& share, ShareOf of);

/// What the numbers of a map are, at which point of the network.
QString shareMeaning(ShareOf of);

/// The smallest and largest of each share, however large the one that is shown: `attention is
/// 1.2×10⁻⁵ to 0.03 of the convolution beside it`.
QString shareSummary(const ModelShare& share);

/// Every raw magnitude of a head, or of the whole layer for -1.
QString shareText(const MeasuredShare& measured, int layer, int head);

/// A map for each model under one colour scale. Throws InspectionError where no model has one.
PanelFigure shareFigure(const std::vector<MeasuredShare>& models, const ShareSettings& settings);

}  // namespace softscope
