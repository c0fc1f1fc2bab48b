#pragma once

#include "core/analysis/tokens/TokenMap.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// A panel for each map, over the picture. Similarities, and norms, share a range of colours where
/// the view says so; components are colours themselves.
std::vector<HeadPanel> tokenPanels(const std::vector<TokenMap>& maps, const ViewSettings& view);

/// What is seen: `cosine similarity of each patch's token to that of patch (3, 4)`.
QString tokensText(const std::vector<TokenMap>& maps);

/// What is read under the pointer at a patch of a map.
QString tokenReading(const TokenMap& map, int row, int column);

/// A block for each model, its layers side by side behind the picture. `queries` mark similarities;
/// `picture` may be null.
PanelFigure tokensFigure(const std::vector<TokenMap>& maps, const std::vector<MarkedQuery>& queries,
                         const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
