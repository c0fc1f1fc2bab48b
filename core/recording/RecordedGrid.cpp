#include "core/attention/TokenPlaces.h"
#include "core/files/Malformed.h"
#include "core/files/WorkBudget.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/RecordedLayer.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr int longestGridSide = 8192;
/// Limit of the number of places, equal to that of the raster cells in which TokenPlaces finds the
/// nearest.
constexpr std::int64_t mostPlaces = 65'536;

/// Returns the largest square grid of at most `tokens` tokens; nothing for zero tokens.
std::optional<TokenGrid> squareWithin(int tokens) {
  const int side = static_cast<int>(std::sqrt(double(tokens)));
  if (side < 1) return std::nullopt;
  return TokenGrid{side, side};
}

/// Returns the grid of the given sides; zeros mean that tokens are not patches.
std::optional<TokenGrid> gridOf(const std::string& key, int height, int width) {
  if (height == 0 && width == 0) return std::nullopt;
  if (height == 0 || width == 0) {
    throw Malformed(quotedText(key) +
                    " has a side of 0; give both sides, or 0 for both where "
                    "tokens are no patches");
  }
  return TokenGrid{height, width};
}

bool fits(const std::optional<TokenGrid>& grid, int tokens, std::optional<int> prefix) {
  if (!grid) return true;
  return prefix ? tokens == *prefix + grid->count() : tokens >= grid->count();
}

void requireFit(const std::string& key, const char* what, const std::optional<TokenGrid>& grid,
                int tokens, std::optional<int> prefix) {
  if (fits(grid, tokens, prefix)) return;
  throw Malformed(quotedText(key) + " is " + std::to_string(grid->height) + " x " +
                  std::to_string(grid->width) + (prefix ? " after " : "") +
                  (prefix ? std::to_string(*prefix) + " prefix tokens" : "") +
                  ", which are not the " + std::to_string(tokens) + " " + what +
                  "; a grid is [height, width], or [0, 0] where tokens are no patches");
}

void readGrids(const std::string& key, const std::vector<int>& sides, std::optional<int> prefix,
               AttentionDescription& description) {
  if (sides.size() != 2 && sides.size() != 4) {
    throw Malformed(quotedText(key) + " holds " + std::to_string(sides.size()) +
                    " numbers, and should hold [height, width] or the queries' and then the keys'");
  }
  description.queryGrid = gridOf(key, sides[0], sides[1]);
  description.keyGrid = sides.size() == 4 ? gridOf(key, sides[2], sides[3]) : description.queryGrid;
  // If only the class token queries the patches, a single grid belongs to the keys.
  const bool classAsks = sides.size() == 2 && description.queries < description.keys &&
                         !fits(description.queryGrid, description.queries, prefix);
  if (classAsks && description.queries <= std::max(1, prefix.value_or(1))) {
    description.queryGrid.reset();
  }
  requireFit(key, "queries", description.queryGrid, description.queries, prefix);
  requireFit(key, "keys", description.keyGrid, description.keys, prefix);
}

/// Guesses square grids if the file gives none. The number of tokens before the grid must be as the
/// file says, or else the same for queries and keys.
void guessGrids(const std::string& layer, std::optional<int> prefix,
                AttentionDescription& description) {
  const auto guessOne = [&](int tokens) {
    return squareWithin(prefix ? tokens - *prefix : tokens);
  };
  if (description.queries > 1) description.queryGrid = guessOne(description.queries);
  description.keyGrid = guessOne(description.keys);
  const auto isSquare = [&](const std::optional<TokenGrid>& grid, int tokens) {
    return !prefix || (grid && tokens == *prefix + grid->count());
  };
  const bool squares =
      isSquare(description.keyGrid, description.keys) &&
      (description.queries == 1 || isSquare(description.queryGrid, description.queries));
  if (squares) return;
  throw Malformed(quotedText(layer + "/prefix") + " leaves " +
                  std::to_string(description.keys - *prefix) +
                  " tokens, which are no square; say how they lie with " +
                  quotedText(layer + "/grid") + ": [height, width]");
}

/// Fills in the names of the tokens before the patches, if the file gives them.
void fillPrefixNames(const RecordingFile& file, const std::string& layer,
                     AttentionDescription& description) {
  const std::string key = layer + "/prefix_names";
  description.prefixNames = file.texts(key);
  const auto named = static_cast<int>(description.prefixNames.size());
  if (named == 0 || named == description.prefixTokens + description.suffixTokens) return;
  throw Malformed(quotedText(key) + " has " + std::to_string(named) + " names for " +
                  std::to_string(description.prefixTokens) + " tokens before the patches and " +
                  std::to_string(description.suffixTokens) + " behind them");
}

}  // namespace

bool fillGrids(const RecordingFile& file, const std::string& layer,
               AttentionDescription& description) {
  const CheckedArrays arrays(file);
  const std::optional<int> prefix = arrays.integer(layer + "/prefix", 0, description.keys);
  const std::string key = layer + "/grid";
  if (file.has(layer + "/xy")) {
    if (file.has(key)) {
      throw Malformed("has both " + quotedText(key) + " and " + quotedText(layer + "/xy") +
                      "; tokens lie on a grid, or have places of their own");
    }
    description.prefixTokens = prefix.value_or(0);
    fillPrefixNames(file, layer, description);
    return false;
  }
  const bool guesses = !file.has(key);
  const int suffix = arrays.integer(layer + "/suffix", 0, description.keys).value_or(0);
  // A single query that asks many keys is no patch; suffix tokens then are keys only.
  const bool asksAlone = description.queries == 1 && description.keys > 1;
  const int suffixQueries = asksAlone ? 0 : suffix;
  const int mostBehind =
      asksAlone ? description.keys : std::min(description.queries, description.keys);
  if (suffix >= mostBehind && suffix > 0) {
    throw Malformed(quotedText(layer + "/suffix") + " leaves no patches before it");
  }
  // Grids are those of the tokens before the last ones.
  description.queries -= suffixQueries;
  description.keys -= suffix;
  description.suffixTokens = suffix;
  if (guesses) {
    guessGrids(layer, prefix, description);
  } else {
    readGrids(key, arrays.integers(key, 0, longestGridSide, 4), prefix, description);
  }
  const int left = description.keyGrid ? description.keys - description.keyGrid->count() : 0;
  description.prefixTokens = prefix.value_or(left);
  description.queries += suffixQueries;
  description.keys += suffix;
  fillPrefixNames(file, layer, description);
  return guesses;
}

void fillPlaces(const RecordingFile& file, const std::string& layer, double aspect,
                WorkBudget& work, AttentionDescription& description) {
  const std::string key = layer + "/xy";
  const torch::Tensor stored = CheckedArrays(file).doubles(key, "[n, 2]");
  if (!stored.defined()) return;
  if (stored.size(0) > mostPlaces) {
    throw Malformed(quotedText(key) + " has " + std::to_string(stored.size(0)) +
                    " places; of more than " + std::to_string(mostPlaces) +
                    " no two could be told apart on the picture");
  }
  const int prefix = description.prefixTokens;
  const bool classAsks = description.queries <= std::max(1, prefix);
  const bool fits = stored.size(1) == 2 && stored.size(0) == description.keys - prefix &&
                    (classAsks || description.queries == description.keys);
  if (!fits) {
    throw Malformed(quotedText(key) + " is " + shapeText(stored) + ", and should be [n, 2] = [" +
                    std::to_string(description.keys - prefix) +
                    ", 2], of as many queries as keys and without prefix tokens");
  }
  if (stored.min().item<double>() < 0 || stored.max().item<double>() > 1) {
    throw Malformed(quotedText(key) +
                    " should hold fractions of the picture from its left and top, from 0 to 1");
  }
  work.touch(workOfTokenPlaces(static_cast<std::size_t>(stored.size(0))));
  std::vector<std::array<double, 2>> places;
  for (std::int64_t i = 0; i < stored.size(0); ++i) {
    places.push_back({stored.data_ptr<double>()[2 * i], stored.data_ptr<double>()[2 * i + 1]});
  }
  description.keyPlaces =
      std::make_shared<const TokenPlaces>(tokenPlaces(std::move(places), aspect));
  if (!classAsks) description.queryPlaces = description.keyPlaces;
}

}  // namespace softscope
