#include "core/analysis/reach/Reach.h"

#include "core/Error.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace softscope {
namespace {

int cellAt(double fraction, int cells) {
  return std::clamp(static_cast<int>(fraction * cells), 0, cells - 1);
}

}  // namespace

void chooseToken(Reach& reach, const TokenGrid& grid, int prefixTokens,
                 const ReachRequest& request) {
  reach.grid = grid;
  reach.prefixTokens = prefixTokens;
  if (request.prefixToken) {
    if (*request.prefixToken >= prefixTokens) {
      throw InspectionError("behind this block there are " + std::to_string(prefixTokens) +
                            " tokens before the patches; ask for a patch, or at another layer");
    }
    reach.token = *request.prefixToken;
    return;
  }
  reach.patch = cellAt(request.y, grid.height) * grid.width + cellAt(request.x, grid.width);
  reach.token = prefixTokens + *reach.patch;
}

std::optional<double> reachRadius(const Reach& reach, double share) {
  const double total = reach.pixels.sum();
  if (!reach.patch || !(total > 0) || !std::isfinite(total)) return std::nullopt;
  const PictureRegion covered =
      reach.seen.value_or(PictureRegion{0, 0, double(reach.width), double(reach.height)});
  const double x =
      covered.x + (*reach.patch % reach.grid.width + 0.5) * covered.width / reach.grid.width;
  const double y =
      covered.y + (*reach.patch / reach.grid.width + 0.5) * covered.height / reach.grid.height;
  std::vector<std::pair<double, double>> byDistance;
  byDistance.reserve(static_cast<std::size_t>(reach.pixels.size()));
  for (int row = 0; row < reach.height; ++row) {
    for (int column = 0; column < reach.width; ++column) {
      byDistance.emplace_back(std::hypot(column + 0.5 - x, row + 0.5 - y),
                              reach.pixels[row * reach.width + column]);
    }
  }
  std::ranges::sort(byDistance);
  double inside = 0;
  for (const auto& [distance, influence] : byDistance) {
    inside += influence;
    if (inside >= share * total) return distance;
  }
  return byDistance.back().first;
}

std::optional<double> ownShare(const Reach& reach) {
  const bool isSameGrid = reach.height == reach.grid.height && reach.width == reach.grid.width &&
                          reach.prefix.size() == reach.prefixTokens;
  const double total = reach.pixels.sum() + reach.prefix.sum();
  if (reach.from != ReachSource::Tokens || !isSameGrid || !(total > 0)) return std::nullopt;
  return (reach.patch ? reach.pixels[*reach.patch] : reach.prefix[reach.token]) / total;
}

std::optional<double> uniformRadius(const Reach& reach, double share) {
  Reach uniform = reach;
  uniform.pixels.setOnes(static_cast<Eigen::Index>(reach.height) * reach.width);
  return reachRadius(uniform, share);
}

}  // namespace softscope
