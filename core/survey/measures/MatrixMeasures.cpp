#include "core/analysis/AttentionSpread.h"
#include "core/analysis/EntryRange.h"
#include "core/attention/RowBlocks.h"
#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

std::vector<Measure> lineMeasuresOfHeads() {
  const std::string paper =
      "Rethinking Efficacy of Softmax for Lightweight Non-local Neural Networks, 2022";
  return {
      {.name = "line_score",
       .title = "Line score",
       .unit = "share of the variance",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().score; }},
      {.name = "line_score_centred",
       .title = "Line score without row means",
       .unit = "share of the variance",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().centredScore; }},
      {.name = "key_norm_correlation",
       .title = "Lines with the keys' norms",
       .unit = "correlation",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().keyNormCorrelation; }},
      {.name = "query_direction_correlation",
       .title = "Lines with the mean query",
       .unit = "correlation",
       .source = "ours",
       .value = [](const HeadPass& head) { return head.lines().queryDirectionCorrelation; }},
  };
}

namespace {

std::optional<double> distanceOfHead(const HeadPass& head) {
  const PictureRegion covered = head.of.model.inspection().covered();
  return attentionDistance(head.map(), head.head, covered.height, covered.width, head.progress());
}

constexpr const char* sinkPaper = "Efficient Streaming Language Models with Attention Sinks, 2023";

std::optional<double> shareOfSink(const HeadPass& head) {
  return head.sink() ? std::optional(head.sink()->share) : std::nullopt;
}

std::optional<double> factorOfSink(const HeadPass& head) {
  return head.sink() ? std::optional(head.sink()->factor) : std::nullopt;
}

/// Returns 1 for a class token, a register and the like, and 0 for a patch; nothing where all keys
/// are patches.
std::optional<double> sinkIsPrefix(const HeadPass& head) {
  if (!head.sink() || !hasPrefixKeys(head.attention())) return std::nullopt;
  const std::optional<bool> isPrefix = head.sink()->isPrefix;
  return isPrefix ? std::optional<double>(*isPrefix ? 1 : 0) : std::nullopt;
}

std::optional<double> valueNormOfSink(const HeadPass& head) {
  return head.sink() ? head.sink()->valueNorm : std::nullopt;
}

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

std::vector<Measure> spreadMeasures() {
  return {
      {.name = "entropy",
       .title = "Entropy of attention",
       .unit = "share of ln(keys)",
       .source = "Stabilizing Transformer Training by Preventing Attention Entropy Collapse, 2023",
       .value =
           [](const HeadPass& head) {
             return meanEntropyShare(head.map(), head.head, head.progress());
           }},
      {.name = "attention_distance",
       .title = "Attention distance",
       .unit = "pixels of the input",
       .source = "An Image is Worth 16x16 Words, 2020",
       .value = distanceOfHead},
  };
}

std::vector<Measure> sinkMeasures() {
  return {
      {.name = "sink",
       .title = "Share of the strongest key",
       .unit = "share of the attention",
       .source = sinkPaper,
       .value = shareOfSink},
      {.name = "sink_factor",
       .title = "Strongest key over uniform attention",
       .unit = "times",
       .source = sinkPaper,
       .value = factorOfSink},
      {.name = "sink_is_prefix",
       .title = "Strongest key is a prefix token",
       .unit = "0 or 1",
       .source = "Vision Transformers Need Registers, 2023",
       .value = sinkIsPrefix},
      {.name = "sink_value_norm",
       .title = "Value norm of the strongest key",
       .unit = "over the median",
       .source = "When Attention Sink Emerges in Language Models: An Empirical View, 2024",
       .value = valueNormOfSink},
  };
}

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
