#include "core/analysis/AttentionDistance.h"

#include "core/analysis/EvenSample.h"

#include <cmath>

namespace softscope {

namespace {

constexpr int distanceQueries = 512;

/// Centres of patches, in pixels.
struct PatchCentres {
  Eigen::ArrayXd x;
  Eigen::ArrayXd y;

  PatchCentres(const TokenGrid& grid, double height, double width)
      : x(grid.count()), y(grid.count()) {
    for (int patch = 0; patch < grid.count(); ++patch) {
      x[patch] = (patch % grid.width + 0.5) * width / grid.width;
      y[patch] = (patch / grid.width + 0.5) * height / grid.height;
    }
  }
};

/// Returns the mean of `distanceOf` over sampled queries. It is called with a patch and the patch's
/// distances to all keys; queries for which it returns nothing are not counted.
template <typename DistanceOf>
std::optional<double> meanDistance(const AttentionDescription& description, double height,
                                   double width, const DistanceOf& distanceOf) {
  if (!description.queryGrid || !description.keyGrid) return std::nullopt;
  const TokenGrid& grid = *description.queryGrid;
  const PatchCentres queries(grid, height, width);
  const PatchCentres keys(*description.keyGrid, height, width);
  const TokenGrid sample = sampledGrid(grid, distanceQueries);
  double sum = 0;
  int counted = 0;
  for (int i = 0; i < sample.count(); ++i) {
    const int patch = sampledPatch(grid, sample, i);
    const Eigen::ArrayXd distances =
        ((keys.x - queries.x[patch]).square() + (keys.y - queries.y[patch]).square()).sqrt();
    const std::optional<double> distance = distanceOf(patch, distances);
    if (!distance) continue;
    sum += *distance;
    ++counted;
  }
  // A mean over rows of which one has no distance is not a mean over the others.
  if (counted == 0 || !std::isfinite(sum)) return std::nullopt;
  return sum / counted;
}

}  // namespace

std::optional<double> attentionDistance(const AttentionMap& map, int head, double height,
                                        double width, const Progress& progress) {
  const AttentionDescription& description = map.description();
  if (!description.queryGrid || !description.keyGrid) return std::nullopt;
  const int queryPrefix =
      description.queries - description.queryGrid->count() - description.suffixTokens;
  const int keyPatches = description.keyGrid->count();
  return meanDistance(description, height, width,
                      [&](int patch, const Eigen::ArrayXd& distances) -> std::optional<double> {
                        progress.throwIfCancelled();
                        const Vector row = map.row(head, queryPrefix + patch);
                        const Eigen::ArrayXd weights =
                            row.head(row.size() - description.suffixTokens)
                                .tail(keyPatches)
                                .cast<double>()
                                .array()
                                .abs();
                        const double total = weights.sum();
                        if (total == 0) return std::nullopt;
                        return (weights * distances).sum() / total;
                      });
}

std::optional<double> uniformDistance(const AttentionDescription& description, double height,
                                      double width) {
  return meanDistance(description, height, width,
                      [](int, const Eigen::ArrayXd& distances) -> std::optional<double> {
                        return distances.mean();
                      });
}

}  // namespace softscope
