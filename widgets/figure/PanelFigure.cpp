#include "widgets/figure/PanelFigure.h"

#include "widgets/figure/PanelLayout.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/FittedText.h"
#include "widgets/plot/PlotPainter.h"

#include <QtCore/QStringList>
#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>

#include <algorithm>
#include <limits>

namespace softscope {
namespace {

/// Writes text on a baseline and returns where it ends; text that would pass `right` is elided in
/// its middle.
double paintRun(QPainter& painter, const QPointF& start, double right, const QString& text,
                const QFont& font, double gap) {
  if (text.isEmpty() || start.x() >= right) return start.x();
  const QFontMetricsF metrics(font);
  const QString shown = metrics.elidedText(text, Qt::ElideMiddle, right - start.x());
  painter.setFont(font);
  painter.drawText(start, shown);
  return start.x() + metrics.horizontalAdvance(shown) + gap;
}

void paintCaption(QPainter& painter, const PlacedCaption& caption, const FigureStyle& style) {
  QFont bold = style.title;
  bold.setBold(true);
  const QFontMetricsF title(style.title);
  const double base = caption.place.top() + title.ascent();
  double left = caption.place.left();
  double right = caption.place.right();
  painter.setPen(style.text);
  if (!caption.text.result.isEmpty()) {
    // A long name may be elided, but an elided result would be useless.
    const double width = title.horizontalAdvance(caption.text.result);
    painter.setFont(style.title);
    painter.drawText(QPointF(right - width, base), caption.text.result);
    right -= width + 2 * style.gap;
  }
  left = paintRun(painter, {left, base}, right, caption.letter, bold, style.gap);
  const double indent = left;
  double line = base;
  for (const QString& name : caption.names) {
    if (&name != &caption.names.first()) line += title.height();
    left = paintRun(painter, {indent, line}, right, name, bold, style.gap);
  }
  if (caption.isDetailBelow) {
    line += title.height();
    left = indent;
  }
  paintRun(painter, {left, line}, right, caption.text.detail, style.title, style.gap);

  const QFontMetricsF small(style.small);
  QRectF about(caption.place.left(), caption.place.top() + title.height() + line - base,
               caption.place.width(), small.height());
  painter.setFont(style.small);
  painter.setPen(style.muted);
  for (const QString& text : caption.about) {
    painter.drawText(about, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip,
                     small.elidedText(text, Qt::ElideMiddle, about.width()));
    about.translate(0, small.height());
  }
}

/// Returns the titles of all cells, those that are too wide for their panels shortened so that they
/// stay different.
QStringList titlesOf(const PanelLayout& layout) {
  QStringList titles;
  double narrowest = std::numeric_limits<double>::max();
  for (const PlacedCell& cell : layout.cells) {
    titles += cell.cell->panel.title;
    narrowest = std::min(narrowest, cell.parts.title.width());
  }
  const QFontMetricsF metrics(layout.style.title);
  const QStringList fitting = namesApart(titles, metrics, narrowest);
  for (qsizetype i = 0; i < titles.size(); ++i) {
    const double room = layout.cells[static_cast<std::size_t>(i)].parts.title.width();
    if (metrics.horizontalAdvance(titles[i]) > room) titles[i] = fitting[i];
  }
  return titles;
}

void paintPanelCell(QPainter& painter, const PlacedCell& placed, const QString& title,
                    const FigureSettings& settings, const FigureStyle& style) {
  static const CroppedPicture none;
  HeadPanel panel = placed.cell->panel;
  panel.title = title;
  if (!settings.titles) {
    panel.title.clear();
    panel.note.clear();
  }
  if (!placed.letter.isEmpty()) {
    panel.title = (placed.letter + u' ' + panel.title).trimmed();
  }
  if (placed.cell->drawing) {
    paintPanelTitle(painter, placed.parts, panel, style);
    placed.cell->drawing(painter, placed.parts.image, style);
    if (panel.colorBar && panel.heat.colors && !placed.parts.colorBar.isEmpty()) {
      paintColorBar(painter, placed.parts.colorBar, panel.range, *panel.heat.colors, style);
    }
    return;
  }
  paintHeadPanel(painter, placed.parts, panel, placed.cell->picture ? *placed.cell->picture : none,
                 style);
}

void paintBar(QPainter& painter, const PlacedBar& placed, const FigureStyle& style) {
  paintColorBar(painter, placed.place, placed.bar.range, *placed.bar.colors, style);
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(placed.beside, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip,
                   QFontMetricsF(style.small)
                       .elidedText(placed.bar.label, Qt::ElideRight, placed.beside.width()));
}

}  // namespace

QString figureTitle(const PanelFigure& figure) {
  QStringList parts;
  const auto add = [&parts](const FigureCaption& caption) {
    for (const QString& part : {caption.name, caption.detail}) {
      if (!part.isEmpty() && !parts.contains(part)) parts += part;
    }
  };
  for (const FigureCaption& head : figure.columnHeads) add(head);
  for (const FigureBlock& block : figure.blocks) {
    if (block.caption) add(*block.caption);
  }
  constexpr qsizetype most = 6;
  if (parts.size() > most) parts = parts.mid(0, most) << QStringLiteral("…");
  return parts.isEmpty() ? QStringLiteral("Softscope figure") : parts.join(QStringLiteral(", "));
}

QSizeF panelFigureSize(const PanelFigure& figure) {
  return layoutPanelFigure(figure).size / PanelLayout::unitsPerMillimetre;
}

void paintPanelFigure(QPainter& painter, const QRectF& place, const PanelFigure& figure) {
  const PanelLayout layout = layoutPanelFigure(figure);
  const FigureStyle& style = layout.style;
  painter.save();
  if (style.ground.isValid()) painter.fillRect(place, style.ground);
  painter.translate(place.topLeft());
  const double scale =
      std::min(place.width() / layout.size.width(), place.height() / layout.size.height());
  painter.scale(scale, scale);
  for (const PlacedCaption& caption : layout.captions) paintCaption(painter, caption, style);
  const QStringList titles = titlesOf(layout);
  for (std::size_t i = 0; i < layout.cells.size(); ++i) {
    paintPanelCell(painter, layout.cells[i], titles[static_cast<qsizetype>(i)], figure.settings,
                   style);
  }
  for (const PlacedBar& bar : layout.bars) paintBar(painter, bar, style);
  for (const PlacedLegend& legend : layout.legends) {
    paintLegend(painter, legend.place, legend.entries, style);
  }
  painter.restore();
}

}  // namespace softscope
