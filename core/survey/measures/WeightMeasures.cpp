#include "core/analysis/EntryRange.h"
#include "core/attention/RowBlocks.h"
#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

/// Returns the mean over queries of the share of |a_qk| that lies on keys that are no patches,
/// before or behind these. The mean is over patches, or over all queries if these are not patches.
/// Rows of zeros are left out.
std::optional<double> prefixWeight(const HeadPass& head) {
  const AttentionDescription& attention = head.attention();
  if (!attention.keyGrid) return std::nullopt;
  const int suffix = attention.suffixTokens;
  const int prefix = attention.keys - attention.keyGrid->count() - suffix;
  if (prefix + suffix == 0) return std::nullopt;
  const int last = attention.queries - (attention.queryGrid ? attention.suffixTokens : 0);
  const int first = attention.queryGrid ? last - attention.queryGrid->count() : 0;
  double sum = 0;
  int counted = 0;
  forEachRowBlock(head.map(), head.head, head.progress(), [&](int begin, const Matrix& rows) {
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      if (begin + row < first || begin + row >= last) continue;
      const Eigen::ArrayXd weights = rows.row(row).cast<double>().array().abs();
      const double total = weights.sum();
      if (!(total > 0)) continue;
      sum += (weights.head(prefix).sum() + weights.tail(suffix).sum()) / total;
      ++counted;
    }
  });
  if (counted == 0) return std::nullopt;
  return sum / counted;
}

}  // namespace

std::vector<Measure> weightMeasures() {
  return {
      {.name = "largest_weight",
       .title = "Largest weight",
       .unit = "",
       .source = "SimA: Simple Softmax-free Attention for Vision Transformers, 2022",
       .value =
           [](const HeadPass& head) {
             return std::optional(
                 entryRange(head.map(), head.head, head.progress()).largestMagnitude());
           }},
      {.name = "prefix_weight",
       .title = "Weight on prefix tokens",
       .unit = "share of a row",
       .source = "Efficient Streaming Language Models with Attention Sinks, 2023",
       .value = prefixWeight},
  };
}

}  // namespace softscope
