#pragma once

#include "widgets/PictureQuery.h"
#include "widgets/QueryToken.h"

#include <string>
#include <vector>

namespace softscope {

/// `--head`, as often as it was given.
struct HeadChoice {
  std::vector<int> heads;
  bool mean = false;
  bool all = false;
};

/// Reads `N`, `mean` and `all`. Throws UsageError.
HeadChoice parseHeads(const std::vector<std::string>& texts);

/// Reads `ROW,COL`. Throws UsageError.
Patch parsePatch(const std::string& text);

/// Reads `X,Y`, two fractions of the picture. Throws UsageError.
PictureQuery parsePlace(const std::string& text);

/// Reads `--query ROW,COL` (a patch of the layer that `attention` describes, or `class`) and
/// `--at X,Y` (fractions of the picture); the picture's centre where neither is given. Throws
/// UsageError for what cannot be read, InspectionError for a patch outside the grid.
std::vector<PictureQuery> parseQueries(const std::vector<std::string>& patches,
                                       const std::vector<std::string>& places,
                                       const AttentionDescription& attention,
                                       const PictureExtent& extent);

}  // namespace softscope
