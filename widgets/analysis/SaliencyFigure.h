#pragma once

#include "core/analysis/LayerSaliency.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Panels over the picture, those of sums first: their values are the norms, and the ends of their
/// colours the norms that become 0 and 1. Sums, and heads, share them where the view says so.
std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view);

/// What is seen, below the layer's name: `... l1 norms after SimA's normalisation`.
QString saliencyText(const LayerSaliency& saliency);

/// A block of panels for each layer that has some, the picture first. `picture` may be null.
PanelFigure saliencyFigure(const std::vector<LayerSaliency>& saliencies,
                           const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
