#include "core/analysis/AttentionSpread.h"

#include "core/analysis/GridSampling.h"
#include "core/attention/SparseMap.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
      const int row = patch / grid.width;
      x[patch] = (patch % grid.width + 0.5) * width / grid.width;
      y[patch] = (row + 0.5) * height / grid.height;
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

constexpr int entropyQueries = 4096;

/// Computes rowEntropy() in float32 except for the sums: a map keeps no more digits, and it takes a
/// third of the time.
float singleEntropy(const Eigen::ArrayXf& magnitudes) {
  const double sum = magnitudes.cast<double>().sum();
  const auto scale = static_cast<float>(1 / sum);
  if (!(sum > 0) || !std::isfinite(scale)) {
    return static_cast<float>(rowEntropy(magnitudes.matrix()));
  }
  const Eigen::ArrayXf weights = magnitudes * scale;
  const Eigen::ArrayXf terms = weights * weights.max(std::numeric_limits<float>::min()).log();
  return static_cast<float>(-terms.cast<double>().sum());
}

/// Calls visit(patch of the sample, its row); rows that follow one another are computed a few at a
/// time.
template <typename Visit>
void forEachSampledRow(const AttentionMap& map, int head, const TokenGrid& sample,
                       const Progress& progress, Visit visit) {
  const AttentionDescription& description = map.description();
  const TokenGrid& grid = *description.queryGrid;
  const int prefix = description.queries - grid.count() - description.suffixTokens;
  if (sample != grid) {
    for (int i = 0; i < sample.count(); ++i) {
      progress.throwIfCancelled();
      visit(i, map.row(head, prefix + sampledPatch(grid, sample, i)));
    }
    return;
  }
  constexpr int stripEntries = 1 << 18;
  const int strip = std::clamp(stripEntries / std::max(description.keys, 1), 1, 256);
  for (int first = 0; first < grid.count(); first += strip) {
    progress.throwIfCancelled();
    const int count = std::min(strip, grid.count() - first);
    const Matrix rows = map.block(head, prefix + first, 0, count, description.keys);
    for (int i = 0; i < count; ++i) visit(first + i, rows.row(i).transpose());
  }
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

bool seesAllKeys(const AttentionMap& map) {
  return dynamic_cast<const SparseMap*>(&map) == nullptr;
}

std::optional<double> uniformDistance(const AttentionMap& map, double height, double width) {
  if (!seesAllKeys(map)) return std::nullopt;
  return meanDistance(map.description(), height, width,
                      [](int, const Eigen::ArrayXd& distances) -> std::optional<double> {
                        return distances.mean();
                      });
}

double rowEntropy(const Vector& row) {
  const Eigen::ArrayXd magnitudes = row.cast<double>().array().abs();
  const double sum = magnitudes.sum();
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::ArrayXd weights = magnitudes / sum;
  // 0 ln 0 counts as 0.
  return -(weights * weights.max(std::numeric_limits<double>::min()).log()).sum();
}

int mostKeys(const AttentionMap& map) {
  const auto* sparse = dynamic_cast<const SparseMap*>(&map);
  return sparse != nullptr ? sparse->mostKeysInside() : map.description().keys;
}

std::optional<EntropyMap> entropyMap(const AttentionMap& map, int head, const Progress& progress) {
  const AttentionDescription& description = map.description();
  if (!description.queryGrid) return std::nullopt;
  const TokenGrid grid = *description.queryGrid;
  EntropyMap result{.grid = sampledGrid(grid, entropyQueries),
                    .largestPossible = std::log(static_cast<double>(mostKeys(map)))};
  result.entropy.resize(result.grid.count());
  forEachSampledRow(map, head, result.grid, progress, [&](int patch, const Vector& row) {
    const float entropy =
        std::min(singleEntropy(row.array().abs()), static_cast<float>(result.largestPossible));
    result.entropy[patch] = entropy;
    if (!std::isfinite(entropy) && !row.allFinite()) result.isFinite = false;
  });
  return result;
}

std::optional<double> meanEntropyShare(const AttentionMap& map, int head,
                                       const Progress& progress) {
  const auto entropies = entropyMap(map, head, progress);
  if (!entropies || !entropies->isFinite || entropies->largestPossible <= 0) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const float entropy : entropies->entropy) {
    if (!std::isfinite(entropy)) continue;
    sum += entropy;
    ++count;
  }
  if (count == 0) return std::nullopt;
  // Rounding may reach beyond what is possible.
  return std::min(1.0, sum / count / entropies->largestPossible);
}

}  // namespace softscope
