#include "widgets/workspace/HeadWall.h"

#include "core/Error.h"
#include "core/analysis/LineMeasures.h"
#include "core/analysis/sinks/AttentionSink.h"
#include "core/inspect/LayerMap.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softscope {

namespace {

std::optional<double> numberOf(const LayerInspection& layer, int head, HeadOrder order,
                               const Progress& progress) {
  if (order == HeadOrder::LineScore) {
    const auto score = lineScores(*layer.attention, head, progress).raw;
    // NaN has no place in an order.
    return score && std::isfinite(*score) ? score : std::nullopt;
  }
  const auto sink = attentionSink(layer, head, progress);
  return sink ? std::optional(sink->share) : std::nullopt;
}

}  // namespace

std::vector<HeadWallRow> headWall(const Workspace& workspace) {
  std::vector<HeadWallRow> rows;
  const OpenedModel* opened = workspace.models().current();
  if (!opened || !opened->inspection) return rows;
  const PictureExtent extent = workspace.queries().extent();
  const PictureQuery& query = workspace.queries().query();
  const Direction direction = workspace.layers().direction();
  for (const LayerInspection& layer : opened->ofAllChannels->layers) {
    const auto shown = mapOf(layer, availableMap(layer, workspace.view().map()));
    const AttentionDescription& attention = shown->description();
    const int token = queryToken(attention, extent, query, direction);
    HeadWallRow row{layer.name, {}, {}, {}};
    row.mark = tokenMark(attention, direction, token, extent, {query, Qt::white, {}});
    const bool isReady = direction == Direction::Rows || shown->columnsReady();
    if (isReady) {
      std::vector<int> heads(static_cast<std::size_t>(attention.heads));
      std::iota(heads.begin(), heads.end(), 0);
      row.answers = attentionValues(*shown, heads, token, direction);
      row.ranges = valueRanges(row.answers, workspace.view().settings());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

HeadNumbers headNumbers(const std::vector<AnalysedLayer>& layers, HeadOrder order,
                        const Progress& progress) {
  HeadNumbers numbers;
  if (order != HeadOrder::Sink && order != HeadOrder::LineScore) return numbers;
  for (const AnalysedLayer& of : layers) {
    progress.report(static_cast<double>(numbers.size()) / static_cast<double>(layers.size()),
                    of.layer().name);
    auto& heads = numbers.emplace_back();
    for (int head = 0; head < of.attention().heads; ++head) {
      try {
        heads.push_back(numberOf(of.layer(), head, order, progress));
      } catch (const InspectionError&) {
        // Such as a matrix with too many entries to sum.
        heads.emplace_back();
      }
    }
  }
  return numbers;
}

std::vector<std::size_t> orderOfHeads(const std::vector<std::optional<double>>& numbers,
                                      std::size_t heads) {
  std::vector<std::size_t> order(heads);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (numbers.size() != heads) return order;
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return numbers[b] < numbers[a]; });
  return order;
}

}  // namespace softscope
