#include "widgets/figure/HeadsFigure.h"

#include "widgets/QueryToken.h"
#include "widgets/figure/ColorBarPainter.h"
#include "widgets/figure/HeadPanel.h"
#include "widgets/figure/PanelText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace softscope {
namespace {

// The figure is laid out in tenths of a millimetre.
constexpr double unitsPerMillimetre = 10;
constexpr double widestPanel = 42 * unitsPerMillimetre;
constexpr double margin = 2 * unitsPerMillimetre;
constexpr double panelGap = 2.4 * unitsPerMillimetre;
constexpr int mostColumns = 6;

/// One layer asked one query.
struct Block {
  const LayerInspection* layer = nullptr;
  PictureQuery query;
  int token = 0;
  std::vector<AttentionValues> values;
  std::vector<ValueRange> ranges;

  const AttentionDescription& attention() const { return layer->attention->description(); }
  /// The picture with the query, and the heads.
  int panels() const { return 1 + static_cast<int>(values.size()); }
};

/// Everything that size, drawing and numbers have in common.
struct Plan {
  std::vector<Block> blocks;
  FigureStyle style;
  double aspect = 1;
  int columns = 1;
  double panelWidth = widestPanel;
  bool sharedBar = false;
  /// What the longest caption needs, as far as there is room.
  double captionWidth = 0;

  double innerWidth() const {
    return std::max(captionWidth, columns * panelWidth + (columns - 1) * panelGap);
  }
  double width() const { return 2 * margin + innerWidth(); }
  double panelHeight() const { return panelWidth / aspect + headPanelOverhead(style, !sharedBar); }
  double titleHeight() const { return QFontMetricsF(style.title).height(); }
  double captionHeight() const {
    return titleHeight() + QFontMetricsF(style.small).height() + 1.5 * style.gap;
  }
  int lines(const Block& block) const { return (block.panels() + columns - 1) / columns; }
  double blockHeight(const Block& block) const {
    const int count = lines(block);
    const double bar = sharedBar ? style.gap + colorBarHeight(style) : 0;
    return captionHeight() + count * panelHeight() + (count - 1) * panelGap + bar;
  }
  double height() const {
    double sum = 2 * margin + panelGap * 1.5 * std::max<double>(0, double(blocks.size()) - 1);
    for (const Block& block : blocks) sum += blockHeight(block);
    return sum;
  }
};

std::vector<int> headsOf(const HeadsFigure& figure, const AttentionDescription& attention) {
  if (figure.onlyMean) return {};
  std::vector<int> heads = figure.heads;
  if (heads.empty()) {
    heads.resize(static_cast<std::size_t>(attention.heads));
    std::iota(heads.begin(), heads.end(), 0);
  }
  return heads;
}

Block makeBlock(const HeadsFigure& figure, const LayerInspection& layer, const PictureExtent& seen,
                const PictureQuery& query) {
  Block block;
  block.layer = &layer;
  block.query = query;
  block.token = queryToken(block.attention(), seen, query, figure.direction);
  block.values =
      attentionValues(*layer.attention, headsOf(figure, block.attention()),
                      figure.includeMean || figure.onlyMean, block.token, figure.direction);
  block.ranges = valueRanges(block.values, figure.view);
  return block;
}

double aspectOf(const HeadsFigure& figure) {
  if (figure.picture.width > 0 && figure.region.height > 0) {
    return figure.region.width / figure.region.height;
  }
  for (const LayerInspection& layer : figure.layers) {
    const auto grid = answerGrid(layer.attention->description(), figure.direction);
    if (grid && grid->height > 0) return double(grid->width) / grid->height;
  }
  return 1;
}

int columnsFor(int mostPanels) {
  const int lines = (mostPanels + mostColumns - 1) / mostColumns;
  return (mostPanels + lines - 1) / lines;
}

QString aboutText(const HeadsFigure& figure, const Block& block) {
  return layerText(block.attention(), QString::fromStdString(figure.mechanismNote)) +
         QStringLiteral(" · ") + questionText(block.attention(), figure.direction, block.token);
}

Plan makePlan(const HeadsFigure& figure) {
  Plan plan;
  plan.style = printStyle(figure.view.theme);
  plan.aspect = aspectOf(figure);
  plan.sharedBar = figure.view.normalisation == ViewSettings::Normalisation::Shared;
  const PictureExtent seen(figure.picture, figure.region);
  int mostPanels = 1;
  for (const LayerInspection& layer : figure.layers) {
    for (const PictureQuery& query : figure.queries) {
      plan.blocks.push_back(makeBlock(figure, layer, seen, query));
      mostPanels = std::max(mostPanels, plan.blocks.back().panels());
    }
  }
  plan.columns = columnsFor(mostPanels);
  const double room = figure.maximumWidth * unitsPerMillimetre - 2 * margin;
  plan.panelWidth = std::min(widestPanel, (room - (plan.columns - 1) * panelGap) / plan.columns);
  const QFontMetricsF small(plan.style.small);
  for (const Block& block : plan.blocks) {
    const double needed = small.horizontalAdvance(aboutText(figure, block)) + plan.style.gap;
    plan.captionWidth = std::max(plan.captionWidth, std::min(needed, room));
  }
  return plan;
}

void paintCaption(QPainter& painter, const QRectF& line, const HeadsFigure& figure,
                  const Block& block, const FigureStyle& style) {
  const QFontMetricsF title(style.title);
  QFont bold = style.title;
  bold.setWeight(QFont::DemiBold);
  painter.setPen(style.text);
  painter.setFont(bold);
  const QString model = QString::fromStdString(figure.modelName);
  const QRectF first(line.left(), line.top(), line.width(), title.height());
  const QFontMetricsF boldMetrics(bold);
  const QString shownModel = boldMetrics.elidedText(model, Qt::ElideRight, line.width() * 0.6);
  painter.drawText(first, Qt::AlignLeft | Qt::AlignTop, shownModel);

  const double used = model.isEmpty() ? 0 : boldMetrics.horizontalAdvance(shownModel) + style.gap;
  const QRectF rest = first.adjusted(used, 0, 0, 0);
  painter.setFont(style.title);
  const QString layer = QString::fromStdString(block.layer->name);
  painter.drawText(rest, Qt::AlignLeft | Qt::AlignTop,
                   title.elidedText(layer, Qt::ElideMiddle, rest.width()));

  const QRectF second(line.left(), first.bottom(), line.width(), line.height());
  const QString about = aboutText(figure, block);
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(second, Qt::AlignLeft | Qt::AlignTop,
                   QFontMetricsF(style.small).elidedText(about, Qt::ElideRight, line.width()));
}

std::optional<QPointF> markOf(const PictureExtent& seen, const Block& block, Direction direction) {
  const bool asksPatch = chosenGrid(block.attention(), direction).has_value();
  if (!asksPatch || (block.query.classToken && block.token == 0)) return std::nullopt;
  return placeInRegion(seen, block.query);
}

void paintPicturePanel(QPainter& painter, const QRectF& place, const Plan& plan, const Block& block,
                       const CroppedPicture& picture, std::optional<QPointF> mark,
                       Direction direction) {
  const HeadPanelLayout parts = layoutHeadPanel(place, plan.aspect, !plan.sharedBar, plan.style);
  painter.setFont(plan.style.title);
  painter.setPen(plan.style.text);
  const QString name = QString::fromStdString(tokenName(block.attention(), direction, block.token));
  painter.drawText(parts.title, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip, name);
  const QRectF image = snapped(painter, parts.image);
  if (picture.isNull()) {
    painter.setPen(QPen(plan.style.frame, plan.style.hairline));
    painter.drawRect(image);
  } else {
    painter.drawImage(image, picture.colored(devicePixels(painter, image)));
  }
  if (mark) {
    const QPointF centre(image.left() + mark->x() * image.width(),
                         image.top() + mark->y() * image.height());
    paintQueryMark(painter, centre, image.width() / 9, image, plan.style.hairline * 1.6);
  }
}

void paintBlock(QPainter& painter, const QPointF& corner, const HeadsFigure& figure,
                const Plan& plan, const Block& block, const CroppedPicture& picture) {
  const FigureStyle& style = plan.style;
  const double inner = plan.innerWidth();
  paintCaption(painter, QRectF(corner, QSizeF(inner, plan.captionHeight())), figure, block, style);

  const PictureExtent seen(figure.picture, figure.region);
  const std::optional<QPointF> mark = markOf(seen, block, figure.direction);
  for (int i = 0; i < block.panels(); ++i) {
    const QPointF offset(
        (i % plan.columns) * (plan.panelWidth + panelGap),
        plan.captionHeight() + (i / plan.columns) * (plan.panelHeight() + panelGap));
    const QRectF place(corner + offset, QSizeF(plan.panelWidth, plan.panelHeight()));
    if (i == 0) {
      paintPicturePanel(painter, place, plan, block, picture, mark, figure.direction);
      continue;
    }
    const auto index = static_cast<std::size_t>(i - 1);
    HeadPanel panel;
    panel.values = block.values[index];
    panel.range = block.ranges[index];
    panel.heat = heatmapStyle(figure.view, panel.range);
    panel.title = headText(panel.values.head);
    panel.note = panelNote(block.attention(), panel.values, figure.direction);
    panel.query = mark;
    panel.colorBar = !plan.sharedBar;
    paintHeadPanel(painter, layoutHeadPanel(place, plan.aspect, panel.colorBar, style), panel,
                   picture, style);
  }
  if (!plan.sharedBar || block.ranges.empty()) return;

  const ValueRange& range = block.ranges.front();
  const double width = std::min(inner, plan.panelWidth);
  const QRectF bar(corner.x() + (plan.columns > 1 ? plan.panelWidth + panelGap : 0),
                   corner.y() + plan.blockHeight(block) - colorBarHeight(style), width,
                   colorBarHeight(style));
  paintColorBar(painter, bar, range, *heatmapStyle(figure.view, range).colors, style);
}

std::string panelName(const HeadsFigure& figure, const Block& block, int head) {
  std::string name = block.layer->name;
  std::replace(name.begin(), name.end(), '.', '_');
  const bool rows = figure.direction == Direction::Rows;
  name += rows ? ".row" : ".column";
  const auto grid = chosenGrid(block.attention(), figure.direction);
  const int prefix = rows ? queryPrefix(block.attention()) : keyPrefix(block.attention());
  if (grid && block.token >= prefix) {
    const int index = block.token - prefix;
    name += "_" + std::to_string(index / grid->width) + "_" + std::to_string(index % grid->width);
  } else {
    name += block.token < prefix ? "_class" : "_" + std::to_string(block.token);
  }
  return name + (head == AttentionValues::meanOfHeads ? ".mean" : ".head_" + std::to_string(head));
}

}  // namespace

QSizeF headsFigureSize(const HeadsFigure& figure) {
  const Plan plan = makePlan(figure);
  return QSizeF(plan.width(), plan.height()) / unitsPerMillimetre;
}

void paintHeadsFigure(QPainter& painter, const QRectF& place, const HeadsFigure& figure) {
  const Plan plan = makePlan(figure);
  const CroppedPicture picture(pictureImage(figure.picture), figure.region);
  painter.save();
  painter.fillRect(place, plan.style.ground);
  painter.translate(place.topLeft());
  const double scale = std::min(place.width() / plan.width(), place.height() / plan.height());
  painter.scale(scale, scale);

  QPointF corner(margin, margin);
  for (const Block& block : plan.blocks) {
    paintBlock(painter, corner, figure, plan, block, picture);
    corner.ry() += plan.blockHeight(block) + panelGap * 1.5;
  }
  painter.restore();
}

NamedArrays headsFigureArrays(const HeadsFigure& figure) {
  NamedArrays arrays;
  for (const Block& block : makePlan(figure).blocks) {
    for (const AttentionValues& values : block.values) {
      const std::string name = panelName(figure, block, values.head);
      std::vector<std::int64_t> shape{values.patches.size()};
      if (values.onPicture) shape = {values.grid.height, values.grid.width};
      arrays.push_back(
          {name, {shape, {values.patches.data(), values.patches.data() + values.patches.size()}}});
      if (values.prefix.size() == 0) continue;
      arrays.push_back({name + ".prefix",
                        {{values.prefix.size()},
                         {values.prefix.data(), values.prefix.data() + values.prefix.size()}}});
    }
  }
  return arrays;
}

}  // namespace softscope
