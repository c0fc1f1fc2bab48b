#include "widgets/figure/QueriedLayer.h"

#include "widgets/paint/PanelText.h"

#include <algorithm>
#include <numeric>

namespace softscope {
namespace {

std::vector<int> headsOf(const ShownHeads& shown, const AttentionDescription& attention) {
  std::vector<int> heads;
  if (shown.single) heads = shown.heads;
  if (shown.single && heads.empty()) {
    heads.resize(static_cast<std::size_t>(attention.heads));
    std::iota(heads.begin(), heads.end(), 0);
  }
  if (shown.mean) heads.push_back(AttentionValues::meanOfHeads);
  if (shown.largest) heads.push_back(AttentionValues::largestOfHeads);
  return heads;
}

/// The query's place, where the layer is asked about one.
std::optional<QueryMark> markOf(const QueriedLayer& asked) {
  const bool asksPatch = chosenGrid(asked.attention(), asked.direction).has_value();
  const int prefix = asked.direction == Direction::Rows ? queryPrefix(asked.attention())
                                                        : keyPrefix(asked.attention());
  if (!asksPatch || asked.token < prefix) return std::nullopt;
  return QueryMark{placeInRegion(asked.seen, asked.query.query), asked.query.color,
                   asked.query.letter};
}

void addArray(NamedArrays& arrays, const std::string& name, std::vector<std::int64_t> shape,
              const Vector& values) {
  const FloatArray array{std::move(shape), {values.begin(), values.end()}};
  std::string free = name;
  for (int number = 2;; ++number) {
    const auto taken = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const auto& other) { return other.first == free; });
    if (taken == arrays.end()) break;
    if (taken->second.values == array.values) return;
    free = name + "_" + std::to_string(number);
  }
  arrays.emplace_back(free, array);
}

}  // namespace

QueriedLayer askLayer(const LayerInspection& layer, const PictureExtent& seen,
                      const MarkedQuery& query, Direction direction, const ShownHeads& heads) {
  QueriedLayer asked;
  asked.layer = &layer;
  asked.seen = seen;
  asked.query = query;
  asked.direction = direction;
  asked.token = queryToken(asked.attention(), seen, query.query, direction);
  asked.values =
      attentionValues(*layer.attention, headsOf(heads, asked.attention()), asked.token, direction);
  return asked;
}

PictureExtent extentOf(const std::shared_ptr<const Picture>& picture, const PictureRegion& region) {
  return picture ? PictureExtent(*picture, region) : PictureExtent();
}

double panelAspect(const Picture* picture, const PictureRegion& region,
                   const AttentionDescription& attention, Direction direction) {
  if (picture && region.height > 0) return region.width / region.height;
  const auto grid = answerGrid(attention, direction);
  return grid && grid->height > 0 ? double(grid->width) / grid->height : 1;
}

HeadPanel picturePanel(const QueriedLayer& asked) {
  HeadPanel panel;
  panel.title = QString::fromStdString(tokenName(asked.attention(), asked.direction, asked.token));
  if (!asked.query.letter.isEmpty()) {
    panel.title = asked.query.letter + QStringLiteral(" · ") + panel.title;
  }
  panel.query = markOf(asked);
  panel.colorBar = false;
  return panel;
}

HeadPanel headPanel(const QueriedLayer& asked, const AttentionValues& values,
                    const ValueRange& range, const ViewSettings& view) {
  HeadPanel panel;
  panel.title = headText(values.head);
  panel.note = panelNote(asked.attention(), values, asked.direction);
  panel.values = values;
  panel.range = range;
  panel.heat = heatmapStyle(view, range);
  panel.query = markOf(asked);
  return panel;
}

std::string queryName(const QueriedLayer& asked) {
  if (showsWholeMatrix(asked.attention())) return "matrix";
  const bool rows = asked.direction == Direction::Rows;
  const std::string name = rows ? "row" : "column";
  const auto grid = chosenGrid(asked.attention(), asked.direction);
  const int prefix = rows ? queryPrefix(asked.attention()) : keyPrefix(asked.attention());
  if (!grid || asked.token < prefix) {
    return name + (asked.token < prefix ? "_class" : "_" + std::to_string(asked.token));
  }
  const int patch = asked.token - prefix;
  return name + "_" + std::to_string(patch / grid->width) + "_" +
         std::to_string(patch % grid->width);
}

std::string layerName(const LayerInspection& layer) {
  std::string name = layer.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void addArrays(NamedArrays& arrays, const std::string& name, const AttentionValues& values) {
  std::string full = name + ".head_" + std::to_string(values.head);
  if (values.head == AttentionValues::meanOfHeads) full = name + ".mean";
  if (values.head == AttentionValues::largestOfHeads) full = name + ".max";
  std::vector<std::int64_t> shape{values.patches.size()};
  if (values.onPicture || values.grid.height > 1) shape = {values.grid.height, values.grid.width};
  addArray(arrays, full, std::move(shape), values.patches);
  if (values.prefix.size() > 0) {
    addArray(arrays, full + ".prefix", {values.prefix.size()}, values.prefix);
  }
}

}  // namespace softscope
