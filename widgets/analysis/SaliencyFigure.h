#pragma once

#include "core/analysis/Saliency.h"
#include "core/array/Npz.h"
#include "core/image/Picture.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/AnalysisSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What is shown of a layer's saliency, or why there is nothing to show.
struct LayerSaliency {
  AnalysedLayer of;
  /// Those that were asked for and are patches; the queries alone where the keys are the queries.
  std::optional<Saliency> queries;
  std::optional<Saliency> keys;
  bool keysAreQueries = false;
  /// Shown beside the sums over heads.
  std::vector<int> heads;
  std::string obstacle;
};

/// Of each layer, `settings.of`; with every head, or `heads` of each. A layer without gets its
/// obstacle instead. Throws InspectionError for a head that a layer does not have.
std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads = {});

/// Panels over the picture, those of sums first: their values are the norms, and the ends of their
/// colours the norms that become 0 and 1. Sums, and heads, share them where the view says so.
std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view);

/// What is seen, below the layer's name: `... l1 norms after SimA's normalisation`.
QString saliencyText(const LayerSaliency& saliency);

/// A block of panels for each layer that has some, the picture first. `picture` may be null.
PanelFigure saliencyFigure(const std::vector<LayerSaliency>& saliencies,
                           const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

/// The norms of every panel, [height, width] of its grid: `MODEL.LAYER.query_sum`, `.key_sum`,
/// `.query_head_N`, `.key_head_N`, the layer's dots as underscores.
NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies);

}  // namespace softscope
