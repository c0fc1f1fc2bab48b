#include "core/analysis/AttentionEntropy.h"

#include "core/analysis/EvenSample.h"

#include <cmath>
#include <limits>

namespace softscope {

namespace {

constexpr int entropyQueries = 4096;

}  // namespace

double rowEntropy(const Vector& row) {
  const Eigen::ArrayXd magnitudes = row.cast<double>().array().abs();
  const double sum = magnitudes.sum();
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::ArrayXd weights = magnitudes / sum;
  // 0 ln 0 counts as 0.
  return -(weights * weights.max(std::numeric_limits<double>::min()).log()).sum();
}

std::optional<EntropyMap> entropyMap(const AttentionMap& map, int head, const Progress& progress) {
  const AttentionDescription& description = map.description();
  if (!description.queryGrid) return std::nullopt;
  const TokenGrid grid = *description.queryGrid;
  const int prefix = description.queries - grid.count();
  EntropyMap result{.grid = sampledGrid(grid, entropyQueries),
                    .largestPossible = std::log(static_cast<double>(description.keys))};
  result.entropy.resize(result.grid.count());
  for (int i = 0; i < result.grid.count(); ++i) {
    progress.throwIfCancelled();
    const int query = prefix + sampledPatch(grid, result.grid, i);
    result.entropy[i] = static_cast<float>(rowEntropy(map.row(head, query)));
  }
  return result;
}

std::optional<double> meanEntropyShare(const AttentionMap& map, int head,
                                       const Progress& progress) {
  const auto entropies = entropyMap(map, head, progress);
  if (!entropies || entropies->largestPossible <= 0) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const float entropy : entropies->entropy) {
    if (!std::isfinite(entropy)) continue;
    sum += entropy;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count / entropies->largestPossible;
}

}  // namespace softscope
