#pragma once

#include "core/analysis/tokens/TokenMap.h"
#include "widgets/figure/FigureCommandText.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns the command that draws a figure of tokens. `scope` selects models and layers, `others`
/// are the paths of the further pictures that the figure shows, and `query` is what it asks about,
/// if it asks.
AnalysisCommand tokensCommand(std::vector<std::string> scope, const TokenSettings& settings,
                              std::vector<std::string> others,
                              const std::optional<PictureQuery>& query, const ViewSettings& view);

}  // namespace softscope
