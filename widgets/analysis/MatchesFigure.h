#pragma once

#include "core/analysis/tokens/TokenMatches.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/MatchPanel.h"
#include "widgets/paint/QueryMark.h"

#include <QtCore/QString>

#include <vector>

namespace softscope {

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
