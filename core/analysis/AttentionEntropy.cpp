#include "core/analysis/AttentionEntropy.h"

#include "core/analysis/EvenSample.h"
#include "core/attention/BlockMap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {

namespace {

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

double rowEntropy(const Vector& row) {
  const Eigen::ArrayXd magnitudes = row.cast<double>().array().abs();
  const double sum = magnitudes.sum();
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::ArrayXd weights = magnitudes / sum;
  // 0 ln 0 counts as 0.
  return -(weights * weights.max(std::numeric_limits<double>::min()).log()).sum();
}

int mostKeys(const AttentionMap& map) {
  const auto* blocks = dynamic_cast<const BlockMap*>(&map);
  return blocks != nullptr ? blocks->mostKeysInside() : map.description().keys;
}

std::optional<EntropyMap> entropyMap(const AttentionMap& map, int head, const Progress& progress) {
  const AttentionDescription& description = map.description();
  if (!description.queryGrid) return std::nullopt;
  const TokenGrid grid = *description.queryGrid;
  EntropyMap result{.grid = sampledGrid(grid, entropyQueries),
                    .largestPossible = std::log(static_cast<double>(mostKeys(map)))};
  result.entropy.resize(result.grid.count());
  forEachSampledRow(map, head, result.grid, progress, [&](int patch, const Vector& row) {
    const float entropy = singleEntropy(row.array().abs());
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
  return sum / count / entropies->largestPossible;
}

}  // namespace softscope
