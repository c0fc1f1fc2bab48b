#include "core/attention/LandmarkTokens.h"

#include "core/Error.h"
#include "core/attention/AttentionMap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace softscope {

namespace {

/// Returns the tokens in rows [top, bottom) and columns [left, right).
std::vector<int> rectangleTokens(const TokenGrid& grid, int top, int bottom, int left, int right) {
  std::vector<int> tokens;
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) tokens.push_back(y * grid.width + x);
  }
  return tokens;
}

/// Divides a grid into `count` cells that are as square as possible; returns nothing if no division
/// fits.
std::optional<TokenGrid> evenCells(const TokenGrid& grid, int count) {
  std::optional<TokenGrid> best;
  double least = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= std::min(count, grid.height); ++rows) {
    if (count % rows != 0 || count / rows > grid.width) continue;
    const TokenGrid cells{rows, count / rows};
    const double ratio = double(grid.height) / cells.height * cells.width / grid.width;
    if (std::abs(std::log(ratio)) < least) {
      least = std::abs(std::log(ratio));
      best = cells;
    }
  }
  return best;
}

LandmarkTokens cellTokens(const TokenGrid& grid, const TokenGrid& cells) {
  LandmarkTokens landmarks{{}, cells};
  for (int row = 0; row < cells.height; ++row) {
    for (int column = 0; column < cells.width; ++column) {
      landmarks.groups.push_back(
          rectangleTokens(grid, AttentionMap::areaBegin(row, cells.height, grid.height),
                          AttentionMap::areaBegin(row + 1, cells.height, grid.height),
                          AttentionMap::areaBegin(column, cells.width, grid.width),
                          AttentionMap::areaBegin(column + 1, cells.width, grid.width)));
    }
  }
  return landmarks;
}

LandmarkTokens pooledTokens(const TokenGrid& grid, int count, const LandmarkTokens& trained,
                            const std::string& layer) {
  if (!trained.grid) return runTokens(grid.count(), count);
  const std::optional<TokenGrid> cells = evenCells(grid, count);
  if (!cells) {
    throw InspectionError("the " + std::to_string(grid.height) + " x " +
                          std::to_string(grid.width) + " patches of layer " + layer +
                          " do not divide into " + std::to_string(count) +
                          " cells; choose a --landmark-count that is rows times columns");
  }
  return cellTokens(grid, *cells);
}

/// Makes each token a landmark of its own.
LandmarkTokens singleTokens(const std::vector<int>& tokens) {
  LandmarkTokens landmarks;
  for (const int token : tokens) landmarks.groups.push_back({token});
  return landmarks;
}

std::vector<int> firstTokens(int count) {
  std::vector<int> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

/// Draws distinct tokens, in ascending order, with a generator that the standard specifies, so that
/// a seed gives the same tokens everywhere.
std::vector<int> drawnTokens(int tokens, int count, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<int> drawn = firstTokens(tokens);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(drawn[i], drawn[i + random() % (drawn.size() - i)]);
  }
  drawn.resize(static_cast<std::size_t>(count));
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

LandmarkTokens windowTokens(const TokenGrid& grid, int side) {
  LandmarkTokens landmarks{{}, TokenGrid{grid.height / side, grid.width / side}};
  for (int row = 0; row < landmarks.grid->height; ++row) {
    for (int column = 0; column < landmarks.grid->width; ++column) {
      landmarks.groups.push_back(
          rectangleTokens(grid, row * side, (row + 1) * side, column * side, (column + 1) * side));
    }
  }
  return landmarks;
}

LandmarkTokens runTokens(int tokens, int landmarks) {
  const int length = tokens / landmarks;
  const int shorter = landmarks - tokens % landmarks;
  LandmarkTokens runs;
  int begin = 0;
  for (int landmark = 0; landmark < landmarks; ++landmark) {
    std::vector<int> run(static_cast<std::size_t>(length + (landmark < shorter ? 0 : 1)));
    std::iota(run.begin(), run.end(), begin);
    begin = run.back() + 1;
    runs.groups.push_back(std::move(run));
  }
  return runs;
}

LandmarkTokens chosenTokens(const LandmarkChoice& choice, const TokenGrid& grid,
                            const LandmarkTokens& trained, const std::string& layer) {
  const int count = choice.count.value_or(trained.count());
  if (count < 1 || count > grid.count()) {
    throw InspectionError("layer " + layer + " has " + std::to_string(grid.count()) +
                          " patches, too few for " + std::to_string(count) +
                          " landmarks; choose a smaller --landmark-count or a larger --size");
  }
  switch (choice.source) {
    case LandmarkSource::Random:
      return singleTokens(drawnTokens(grid.count(), count, choice.seed));
    case LandmarkSource::First:
      return singleTokens(firstTokens(count));
    case LandmarkSource::Pooled:
      if (choice.count) return pooledTokens(grid, count, trained, layer);
      break;
    case LandmarkSource::Trained:
      break;
  }
  return trained;
}

}  // namespace softscope
