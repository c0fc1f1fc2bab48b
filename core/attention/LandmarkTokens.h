#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/attention/TokenGrid.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What the landmarks of a layer stand for.
struct LandmarkTokens {
  /// Of each landmark the tokens whose mean it is, ascending; patches, counted row by row.
  std::vector<std::vector<int>> groups;
  /// How landmarks lie on the picture; nothing where they are in no grid.
  std::optional<TokenGrid> grid = std::nullopt;

  int count() const { return static_cast<int>(groups.size()); }
};

/// Square windows of side x side tokens, a rest at the right or bottom left out.
LandmarkTokens windowTokens(const TokenGrid& grid, int side);

/// Runs of tokens / landmarks tokens, the last ones a token longer if that does not divide. There
/// are at most as many landmarks as tokens.
LandmarkTokens runTokens(int tokens, int landmarks);

/// What a choice makes of a layer whose trained landmarks stand for `trained`. Pooled: the same
/// tokens, or, of another number, those of the grid divided evenly into cells that are as square as
/// can be (runs where `trained` are in no grid). Random: tokens drawn with the seed alone, so that
/// layers of one grid and number have the same. Throws InspectionError, naming `layer`, where there
/// are fewer tokens than landmarks, or no such cells.
LandmarkTokens chosenTokens(const LandmarkChoice& choice, const TokenGrid& grid,
                            const LandmarkTokens& trained, const std::string& layer);

}  // namespace softscope
