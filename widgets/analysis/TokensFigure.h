#pragma once

#include "core/analysis/tokens/TokenMap.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <vector>

namespace softscope {

/// Returns a panel over the picture for each map. Similarities, and norms, share a range of colours
/// if the view says so; components are colours themselves.
std::vector<HeadPanel> tokenPanels(const std::vector<TokenMap>& maps, const ViewSettings& view);

/// Returns what is shown: `cosine similarity of each patch's token to that of patch (3, 4)`.
QString tokensText(const std::vector<TokenMap>& maps);

/// Returns the text for the patch of a map under the pointer.
QString tokenReading(const TokenMap& map, int row, int column);

/// Returns a block for each picture and model, with the picture followed by the model's layers side
/// by side. `queries` mark similarities.
PanelFigure tokensFigure(const std::vector<TokenMap>& maps, const std::vector<MarkedQuery>& queries,
                         const ViewSettings& view);

}  // namespace softscope
