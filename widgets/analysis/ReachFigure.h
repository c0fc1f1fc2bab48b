#pragma once

#include "core/analysis/reach/ReachAnalysis.h"
#include "core/image/Picture.h"
#include "core/query/PictureQuery.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns a panel over the picture for each layer that is defined, a cell for each pixel.
std::vector<HeadPanel> reachPanels(const std::vector<LayerReach>& reaches,
                                   const ReachSettings& settings, const ViewSettings& view);

/// Returns what is shown: `which pixels reach patch (7, 7): half within 31.2 of 224 pixels ...`.
QString reachText(const std::vector<LayerReach>& reaches, const ReachSettings& settings);

/// Returns a block for each model, the query marked if it is among `queries`; `picture` is null for
/// the mean over several.
PanelFigure reachFigure(const std::vector<LayerReach>& reaches, const ReachSettings& settings,
                        const PictureQuery& query, const std::vector<MarkedQuery>& queries,
                        const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
