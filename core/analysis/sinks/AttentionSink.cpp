#include "core/analysis/sinks/AttentionSink.h"

#include "core/Error.h"
#include "core/Quantile.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/Mechanism.h"
#include "core/attention/RowBlocks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

Eigen::VectorXd positiveColumnSums(const FactoredMap& map, int head) {
  Eigen::VectorXd weights = map.left()[head].cast<double>().colwise().sum().transpose();
  if (!map.middle().empty()) {
    weights = (map.middle()[head].cast<double>().transpose() * weights).eval();
  }
  return map.right()[head].cast<double>() * weights;
}

/// Returns where the patches begin among the keys, and how many there are; all keys if they are on
/// no grid.
std::pair<int, int> patchesAmongKeys(const AttentionDescription& attention) {
  if (!attention.keyGrid) return {attention.prefixTokens, attention.keys - attention.prefixTokens};
  const int patches = attention.keyGrid->count();
  return {attention.keys - patches - attention.suffixTokens, patches};
}

/// Returns the keys that receive as much as the most, up to the rounding of entries in float32.
std::vector<int> keysWith(const Eigen::VectorXd& sums, double most) {
  constexpr double rounding = 1e-6;
  std::vector<int> keys;
  for (int key = 0; key < sums.size(); ++key) {
    if (sums[key] >= most * (1 - rounding)) keys.push_back(key);
  }
  return keys;
}

std::optional<double> valueNormOf(const Matrix& norms, int head, int key) {
  if (head >= norms.rows() || key >= norms.cols()) return std::nullopt;
  const double median =
      medianOf(std::vector<double>(norms.row(head).begin(), norms.row(head).end()));
  if (!(median > 0)) return std::nullopt;
  return norms(head, key) / median;
}

}  // namespace

Eigen::VectorXd columnMagnitudes(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  if (hasPositiveFactors(map, head)) {
    return positiveColumnSums(dynamic_cast<const FactoredMap&>(map), head);
  }
  const AttentionDescription& attention = map.description();
  if (static_cast<double>(attention.queries) * attention.keys > mostSummedEntries) {
    throw InspectionError("magnitudes of " + std::to_string(attention.queries) + " x " +
                          std::to_string(attention.keys) +
                          " entries are too many to sum one by one; choose a smaller picture with "
                          "--size");
  }
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(attention.keys);
  forEachRowBlock(map, head, progress, [&](int, const Matrix& rows) {
    sums += rows.cast<double>().cwiseAbs().colwise().sum().transpose();
  });
  return sums;
}

bool hasPrefixKeys(const AttentionDescription& attention) {
  return patchesAmongKeys(attention).second < attention.keys;
}

std::optional<AttentionSink> attentionSink(const LayerInspection& layer, int head,
                                           const Progress& progress) {
  const AttentionDescription& attention = layer.attention->description();
  const bool ofTokens = attention.keyGrid || attention.keyPlaces;
  if (attention.queries < 2 || attention.keys < 2 || !ofTokens ||
      traitsOf(attention.mechanism).overChannels) {
    return std::nullopt;
  }
  const Eigen::VectorXd sums = columnMagnitudes(*layer.attention, head, progress);
  const double total = sums.sum();
  if (!(total > 0) || !std::isfinite(total)) return std::nullopt;
  AttentionSink sink;
  const double most = sums.maxCoeff();
  sink.share = most / total;
  sink.factor = sink.share * attention.keys;
  const std::vector<int> keys = keysWith(sums, most);
  const std::pair<int, int> among = patchesAmongKeys(attention);
  const auto isPrefix = [&](int key) {
    return key < among.first || key >= among.first + among.second;
  };
  const auto prefixes = std::ranges::count_if(keys, isPrefix);
  if (prefixes == 0 || prefixes == std::ssize(keys)) sink.isPrefix = prefixes > 0;
  if (keys.size() > 1) return sink;
  sink.key = keys.front();
  sink.valueNorm = valueNormOf(layer.valueNorms, head, *sink.key);
  return sink;
}

}  // namespace softscope
