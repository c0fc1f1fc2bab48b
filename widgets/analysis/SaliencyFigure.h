#pragma once

#include "core/analysis/LayerSaliency.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns panels over the picture, those of sums first. Their values are the norms; the ends of
/// their colours are the norms that become 0 and 1. Sums share one range, and heads another, if the
/// view says so.
std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view);

/// Returns the line below the layer's name: `... l1 norms after SimA's normalisation`.
QString saliencyText(const LayerSaliency& saliency);

/// Returns a block of panels for each layer that has some, starting with the picture. `picture` may
/// be null.
PanelFigure saliencyFigure(const std::vector<LayerSaliency>& saliencies,
                           const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
