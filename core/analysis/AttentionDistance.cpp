#include "core/analysis/AttentionDistance.h"

#include "core/analysis/EvenSample.h"

namespace softscope {

namespace {

constexpr int distanceQueries = 512;

/// Centres of patches, in pixels.
struct PatchCentres {
  Eigen::ArrayXd x;
  Eigen::ArrayXd y;

  PatchCentres(const TokenGrid& grid, int inputHeight, int inputWidth)
      : x(grid.count()), y(grid.count()) {
    for (int patch = 0; patch < grid.count(); ++patch) {
      x[patch] = (patch % grid.width + 0.5) * inputWidth / grid.width;
      y[patch] = (patch / grid.width + 0.5) * inputHeight / grid.height;
    }
  }
};

/// Returns the mean of `distanceOf` over sampled queries. It is called with a patch and the patch's
/// distances to all keys; queries for which it returns nothing are not counted.
template <typename DistanceOf>
std::optional<double> meanDistance(const AttentionDescription& description, int inputHeight,
                                   int inputWidth, const DistanceOf& distanceOf) {
  if (!description.queryGrid || !description.keyGrid) return std::nullopt;
  const TokenGrid& grid = *description.queryGrid;
  const PatchCentres queries(grid, inputHeight, inputWidth);
  const PatchCentres keys(*description.keyGrid, inputHeight, inputWidth);
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
  if (counted == 0) return std::nullopt;
  return sum / counted;
}

}  // namespace

std::optional<double> attentionDistance(const AttentionMap& map, int head, int inputHeight,
                                        int inputWidth, const Progress& progress) {
  const AttentionDescription& description = map.description();
  if (!description.queryGrid || !description.keyGrid) return std::nullopt;
  const int queryPrefix =
      description.queries - description.queryGrid->count() - description.suffixTokens;
  const int keyPatches = description.keyGrid->count();
  return meanDistance(description, inputHeight, inputWidth,
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
                        if (!(total > 0)) return std::nullopt;
                        return (weights * distances).sum() / total;
                      });
}

std::optional<double> uniformDistance(const AttentionDescription& description, int inputHeight,
                                      int inputWidth) {
  return meanDistance(description, inputHeight, inputWidth,
                      [](int, const Eigen::ArrayXd& distances) -> std::optional<double> {
                        return distances.mean();
                      });
}

}  // namespace softscope
