#pragma once

#include "core/analysis/tokens/TokenMap.h"
#include "core/analysis/tokens/TokenMatches.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/MatchPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QString>

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

/// Returns a panel for each layer: both pictures with lines between mutual matches, at most `lines`
/// of them. `queries` mark the patches, if only theirs were asked for; `parts` keeps the pictures.
std::vector<MatchPanel> matchPanels(const std::vector<LayerMatches>& matches, int lines,
                                    const std::vector<MarkedQuery>& queries,
                                    CroppedPictures& parts);

/// Returns what is shown: `lines join patches of cat and dog that are mutual nearest neighbours`.
QString matchesText(const std::vector<LayerMatches>& matches, int lines);

/// Returns a block for each model and pair of pictures, with its layers side by side.
PanelFigure matchesFigure(const std::vector<LayerMatches>& matches, int lines,
                          const std::vector<MarkedQuery>& queries);

}  // namespace softscope
