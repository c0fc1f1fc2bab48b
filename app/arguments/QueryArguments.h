#pragma once

#include "core/attention/GradientProductMap.h"
#include "core/model/ModelSummary.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"
#include "widgets/settings/MapSettings.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Throws UsageError for `--class` given without `--map gradient`, or more than twice. Called
/// before a model is opened.
void checkLogit(const MapSettings& shown, const std::vector<std::string>& classes);

/// Returns the classes of `--class`, at most two, by the names or numbers of the model's classes.
/// Throws InspectionError for an unknown class.
LogitRequest namedLogit(const std::vector<std::string>& classes, const ModelSummary& summary);

/// Returns the logit that `--map gradient` and `--class` ask for; nothing for other maps. Throws
/// like namedLogit().
std::optional<LogitRequest> askedLogit(const MapSettings& shown,
                                       const std::vector<std::string>& classes,
                                       const ModelSummary& summary);

/// All values of `--head`.
struct HeadChoice {
  std::vector<int> heads;
  bool mean = false;
  bool largest = false;
  bool all = false;

  /// Returns the heads to show. Summaries that were requested without heads are shown alone.
  ShownHeads shown() const {
    const bool alone = (mean || largest) && heads.empty() && !all;
    return {!alone, heads, mean, largest};
  }
};

/// One `--query` or `--at`.
struct QueryText {
  enum class Kind { Patch, Place };

  Kind kind = Kind::Patch;
  std::string text;
};

/// Parses `N`, `mean`, `max` and `all`. Throws UsageError.
HeadChoice parseHeads(const std::vector<std::string>& texts);

/// Parses `ROW,COL`. Throws UsageError.
Patch parsePatch(const std::string& text);

/// Parses `X,Y`, two fractions of the picture, and `X,Y,class` or `X,Y,tokenN`: a token beside the
/// patches, with the place to use in layers without it. No layer is known here, so that `class` is
/// token 0. Throws UsageError.
PictureQuery parsePlace(const std::string& text);

/// Parses `--query ROW,COL` (a patch of the layer that `attention` describes, `class` or `tokenN`)
/// and `--at X,Y` (fractions of the picture); returns the picture's centre if neither is given. A
/// patch is one of the queries or, for columns, of the keys. `X,Y,class` is the layer's class
/// token; the place, if the layer has other single tokens but no class token. Throws UsageError for
/// invalid text, and InspectionError for a patch outside the grid.
std::vector<PictureQuery> parseQueries(const std::vector<QueryText>& texts,
                                       const AttentionDescription& attention,
                                       const PictureExtent& extent, Direction direction);

}  // namespace softscope
