#include "widgets/workspace/HeadWall.h"

#include "core/Error.h"
#include "core/Quantile.h"
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
#include "widgets/workspace/WorkspaceFigures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

constexpr double weakestStrength = 0.2;

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

HeadNumbers sharesOfHeads(const ModelShare& share, const std::vector<HeadWallRow>& rows) {
  HeadNumbers numbers;
  for (const HeadWallRow& row : rows) {
    auto& heads = numbers.emplace_back();
    for (const LayerShare& layer : share.layers) {
      if (layer.layer != row.layer) continue;
      for (const HeadShare& head : layer.heads) heads.push_back(layer.residualShare(head));
    }
  }
  return numbers;
}

double medianShare(const ModelShare& share) {
  std::vector<double> shares;
  for (const LayerShare& layer : share.layers) {
    for (const HeadShare& head : layer.heads) {
      if (const auto value = layer.residualShare(head)) shares.push_back(*value);
    }
  }
  return medianOf(std::move(shares));
}

double headStrength(const ModelShare& share, double median, const std::string& name,
                    std::size_t head) {
  for (const LayerShare& layer : share.layers) {
    if (layer.layer != name || head >= layer.heads.size() || median <= 0) continue;
    const std::optional<double> value = layer.residualShare(layer.heads[head]);
    return value ? std::clamp(*value / median, weakestStrength, 1.0) : 1;
  }
  return 1;
}

HeadsSubject wallSubject(const Workspace& workspace, const std::vector<HeadWallRow>& rows,
                         const std::vector<std::vector<int>>& orders) {
  HeadsSubject subject = headsSubject(workspace);
  subject.layers.clear();
  subject.shown = {};
  const OpenedModel* opened = workspace.models().current();
  if (!opened || !opened->inspection) return subject;
  const std::vector<LayerInspection>& layers = opened->ofAllChannels->layers;
  const std::size_t count = std::min({rows.size(), orders.size(), layers.size()});
  // A figure is of one map: the chosen one, unless all layers show another in its place.
  for (const ShownMap map : {workspace.view().map(), ShownMap::Attention}) {
    subject.map = map;
    for (std::size_t i = 0; i < count; ++i) {
      if (rows[i].answers.empty() || availableMap(layers[i], workspace.view().map()) != map) {
        continue;
      }
      subject.layers.push_back(layers[i]);
      subject.orders.push_back(orders[i]);
    }
    if (!subject.layers.empty()) break;
  }
  return subject;
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
