#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/attention/TokenGrid.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The tokens that the landmarks of a layer stand for.
struct LandmarkTokens {
  /// For each landmark, the tokens whose mean it is, in ascending order. Tokens are patches,
  /// counted row by row.
  std::vector<std::vector<int>> groups;
  /// How landmarks lie on the picture; empty if they form no grid.
  std::optional<TokenGrid> grid = std::nullopt;

  int count() const { return static_cast<int>(groups.size()); }
};

/// Returns square windows of side x side tokens; a remainder at the right or bottom is left out.
LandmarkTokens windowTokens(const TokenGrid& grid, int side);

/// Divides the tokens into consecutive runs of tokens / landmarks, rounded down; if that leaves a
/// remainder, the last runs are one token longer. `landmarks` must not exceed `tokens`.
LandmarkTokens runTokens(int tokens, int landmarks);

/// Applies a choice to a layer whose trained landmarks stand for `trained`. Pooled keeps the same
/// tokens; for a different count it divides the grid evenly into cells that are as square as
/// possible (into runs if `trained` has no grid). Random draws tokens from the seed alone, so that
/// layers with the same grid and count get the same ones. Throws an InspectionError that names
/// `layer` if there are fewer tokens than landmarks, or no such cells.
LandmarkTokens chosenTokens(const LandmarkChoice& choice, const TokenGrid& grid,
                            const LandmarkTokens& trained, const std::string& layer);

}  // namespace softscope
