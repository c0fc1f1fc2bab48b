#include "core/analysis/sinks/SinksAnalysis.h"

#include "core/Error.h"
#include "core/array/ComparedSentence.h"
#include "core/query/QueryToken.h"

#include <algorithm>
#include <cstdint>

namespace softscope {

namespace {

constexpr double wholePercent = 100;

Table::Cell cellOfIndex(const std::optional<int>& index) {
  return index ? Table::Cell(static_cast<std::int64_t>(*index)) : Table::Cell();
}

/// Returns the patch of a sink; nothing for other tokens.
std::optional<int> patchOf(const AttentionDescription& attention, const AttentionSink& sink) {
  if (!sink.key || *sink.isPrefix || !attention.keyGrid) return std::nullopt;
  return *sink.key - keyPrefix(attention);
}

void fillLayer(LayerSinks& layer, const Progress& progress) {
  for (int head = 0; head < layer.of.attention().heads; ++head) {
    progress.throwIfCancelled();
    layer.heads.push_back(attentionSink(layer.of.layer(), head, progress));
  }
  const bool hasSink = std::ranges::any_of(layer.heads, [](const auto& sink) { return !!sink; });
  if (hasSink) return;
  throw InspectionError(std::string("no token is attended to more than others: ") +
                        (layer.of.attention().queries == 1
                             ? "there is one query"
                             : "keys are channels, or all entries are zero or not finite"));
}

}  // namespace

SinksAnalysis::Results SinksAnalysis::compute(const AnalysisInput& input, const Settings&,
                                              const Progress& progress) {
  Results results;
  for (const AnalysedLayer& layer : input.layers) results.push_back({layer, {}, {}});
  const auto obstacles =
      forEachLayer(input.layers, progress,
                   [&](std::size_t i, const Progress& part) { fillLayer(results[i], part); });
  for (std::size_t i = 0; i < results.size(); ++i) results[i].obstacle = obstacles[i];
  return results;
}

Table SinksAnalysis::table(const Results& results) {
  Table table{{"model", "layer", "head", "queries", "keys", "sink", "sink_factor", "key", "token",
               "row", "column", "sink_is_prefix", "sink_value_norm"},
              {}};
  for (const LayerSinks& layer : results) {
    const AttentionDescription& attention = layer.of.attention();
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const auto& sink = layer.heads[head];
      if (!sink) continue;
      const std::optional<int> patch = patchOf(attention, *sink);
      std::optional<int> row;
      std::optional<int> column;
      if (patch) row = *patch / attention.keyGrid->width;
      if (patch) column = *patch % attention.keyGrid->width;
      const auto isPrefix =
          hasPrefixKeys(attention) ? std::optional<int>(sink->isPrefix) : std::nullopt;
      table.add(
          {layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
           static_cast<std::int64_t>(attention.queries), static_cast<std::int64_t>(attention.keys),
           sink->share, sink->factor, cellOfIndex(sink->key),
           sink->key ? Table::Cell(sinkName(layer.of, *sink)) : Table::Cell(), cellOfIndex(row),
           cellOfIndex(column), cellOfIndex(isPrefix), cellOf(sink->valueNorm)});
    }
  }
  table.sentence = comparedSentence(
      table, {.quantity = "the strongest key's share of the attention", .column = "sink"});
  return table;
}

std::vector<SinkCount> countSinks(const std::vector<LayerSinks>& results,
                                  const SinksSettings& settings) {
  std::vector<SinkCount> counts;
  for (const LayerSinks& layer : results) {
    if (!layer.obstacle.empty()) continue;
    if (counts.empty() || counts.back().model != layer.of.model) {
      counts.push_back({.model = layer.of.model});
    }
    for (const auto& sink : layer.heads) {
      if (!sink) continue;
      ++counts.back().heads;
      if (sink->share < settings.least / wholePercent) continue;
      ++counts.back().sinks;
      counts.back().prefixSinks += sink->isPrefix.value_or(false) ? 1 : 0;
    }
  }
  return counts;
}

std::optional<SinkPlace> strongestSink(const std::vector<LayerSinks>& results) {
  std::optional<SinkPlace> strongest;
  double most = 0;
  for (std::size_t layer = 0; layer < results.size(); ++layer) {
    for (std::size_t head = 0; head < results[layer].heads.size(); ++head) {
      const auto& sink = results[layer].heads[head];
      if (!sink || sink->share <= most) continue;
      most = sink->share;
      strongest = SinkPlace{layer, head};
    }
  }
  return strongest;
}

std::string sinkName(const AnalysedLayer& of, const AttentionSink& sink) {
  if (!sink.key) return "several tokens alike";
  return singleTokenName(of.attention(), Direction::Columns, *sink.key);
}

}  // namespace softscope
