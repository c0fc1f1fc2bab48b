#include "widgets/plot/PlotPainter.h"

#include "widgets/paint/FittedText.h"
#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/QCustomPlotHeader.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPicture>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

/// The layout of a legend's entries, in columns as wide as the widest entry.
struct LegendGrid {
  double sample = 0;
  double columnWidth = 0;
  double entryHeight = 0;
  /// The lines of each entry's name.
  std::vector<QStringList> names;
  int columns = 1;
  int lines = 0;
};

/// Returns the names of entries, broken into lines if one is wider than `room`. If they cannot be
/// broken into a few, each is cut to what tells it from the others.
std::vector<QStringList> legendNames(double room, const std::vector<LegendEntry>& entries,
                                     const QFontMetricsF& metrics) {
  constexpr qsizetype mostLines = 3;
  std::vector<QStringList> broken;
  QStringList whole;
  bool fits = true;
  for (const LegendEntry& entry : entries) {
    const bool isNarrow = metrics.horizontalAdvance(entry.name) <= room;
    broken.push_back(isNarrow ? QStringList{entry.name} : brokenWords(entry.name, room, metrics));
    whole += entry.name;
    fits = fits && broken.back().size() <= mostLines &&
           std::ranges::all_of(broken.back(), [&](const QString& line) {
             return metrics.horizontalAdvance(line) <= room;
           });
  }
  if (fits) return broken;
  std::vector<QStringList> cut;
  for (const QString& name : namesApart(whole, metrics, room)) cut.push_back({name});
  return cut;
}

LegendGrid legendGrid(const std::vector<LegendEntry>& entries, double width,
                      const FigureStyle& style) {
  const QFontMetricsF metrics(style.small);
  LegendGrid grid;
  grid.sample = 2.2 * metrics.height();
  double widest = 0;
  for (const LegendEntry& entry : entries) {
    widest = std::max(widest, metrics.horizontalAdvance(entry.name));
  }
  grid.columnWidth = std::min(width, grid.sample + style.gap + widest + 3 * style.gap);
  grid.names = legendNames(grid.columnWidth - grid.sample - 2 * style.gap, entries, metrics);
  qsizetype most = 1;
  for (const QStringList& lines : grid.names) most = std::max(most, lines.size());
  grid.entryHeight = metrics.height() * (static_cast<double>(most) + 0.15);
  const auto count = static_cast<int>(entries.size());
  const int fitting = std::max(1, static_cast<int>(width / grid.columnWidth));
  grid.lines = (count + fitting - 1) / fitting;
  grid.columns = grid.lines > 0 ? (count + grid.lines - 1) / grid.lines : 1;
  return grid;
}

void paintMarker(QPainter& painter, const QPointF& middle, const LegendEntry& entry,
                 const QColor& color, const FigureStyle& style) {
  if (entry.marker == PlotCurve::Marker::Cross) {
    // QCustomPlot's crosses have this size; their arms extend equally along both axes.
    const double arm = crossSize(style) / 2 * 0.707;
    painter.setPen(crossPen(color, style));
    painter.drawLine(middle - QPointF(arm, arm), middle + QPointF(arm, arm));
    painter.drawLine(middle - QPointF(arm, -arm), middle + QPointF(arm, -arm));
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  const double radius = pointSize(style) / 2;
  painter.drawEllipse(middle, radius, radius);
}

void paintSample(QPainter& painter, const QRectF& place, const LegendEntry& entry,
                 const FigureStyle& style) {
  const QPointF middle = place.center();
  const QColor color = entry.color.isValid() ? entry.color : style.text;
  if (entry.line == PlotCurve::Line::Bars) {
    const double side = place.height() * 0.6;
    painter.fillRect(QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side), color);
    return;
  }
  if (entry.line != PlotCurve::Line::None) {
    painter.setPen(curvePen(entry.line, color, style));
    painter.drawLine(QPointF(place.left(), middle.y()), QPointF(place.right(), middle.y()));
  }
  if (entry.points || entry.line == PlotCurve::Line::None) {
    paintMarker(painter, middle, entry, color, style);
  }
}

}  // namespace

void paintPlot(QPainter& painter, const QRectF& place, const Plot& plot, const FigureStyle& style) {
  QCustomPlot canvas;
  preparePlot(canvas, plot, style, labelsFit(plot, place.size(), style));
  canvas.setBackground(QBrush(Qt::NoBrush));
  // QCustomPlot draws only with its own kind of painter; a QPicture replays that on any other.
  QPicture drawing;
  QCPPainter onto(&drawing);
  onto.setMode(QCPPainter::pmVectorized);
  onto.setMode(QCPPainter::pmNoCaching);
  canvas.toPainter(&onto, static_cast<int>(std::lround(place.width())),
                   static_cast<int>(std::lround(place.height())));
  onto.end();
  painter.save();
  painter.translate(place.topLeft());
  // Replaying keeps the QPicture's size in inches; the scale converts it to the painter's units.
  painter.scale(double(drawing.logicalDpiX()) / painter.device()->logicalDpiX(),
                double(drawing.logicalDpiY()) / painter.device()->logicalDpiY());
  painter.drawPicture(0, 0, drawing);
  painter.restore();
}

double legendHeight(const std::vector<LegendEntry>& entries, double width,
                    const FigureStyle& style) {
  if (entries.empty()) return 0;
  const LegendGrid grid = legendGrid(entries, width, style);
  return grid.lines * grid.entryHeight;
}

std::optional<std::size_t> legendEntryAt(const std::vector<LegendEntry>& entries, double width,
                                         const FigureStyle& style, const QPointF& place) {
  if (entries.empty() || place.x() < 0 || place.y() < 0) return std::nullopt;
  const LegendGrid grid = legendGrid(entries, width, style);
  const int column = static_cast<int>(place.x() / grid.columnWidth);
  const int line = static_cast<int>(place.y() / grid.entryHeight);
  const auto index = static_cast<std::size_t>(column * grid.lines + line);
  const bool isInside = column < grid.columns && line < grid.lines && index < entries.size();
  return isInside ? std::optional(index) : std::nullopt;
}

void paintLegend(QPainter& painter, const QRectF& place, const std::vector<LegendEntry>& entries,
                 const FigureStyle& style) {
  if (entries.empty()) return;
  const LegendGrid grid = legendGrid(entries, place.width(), style);
  const QFontMetricsF metrics(style.small);
  painter.save();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    // Fills columns from top to bottom, so that heads and layers keep their order.
    const auto column = static_cast<double>(static_cast<int>(i) / grid.lines);
    const auto line = static_cast<double>(static_cast<int>(i) % grid.lines);
    const QRectF entry(place.left() + column * grid.columnWidth,
                       place.top() + line * grid.entryHeight, grid.columnWidth, grid.entryHeight);
    const QStringList& lines = grid.names[i];
    const double text = metrics.height() * static_cast<double>(lines.size());
    const double top = entry.center().y() - text / 2;
    paintSample(painter, QRectF(entry.left(), top, grid.sample, metrics.height()), entries[i],
                style);
    painter.setFont(style.small);
    painter.setPen(style.text);
    for (qsizetype k = 0; k < lines.size(); ++k) {
      const QRectF room(entry.left() + grid.sample + style.gap,
                        top + static_cast<double>(k) * metrics.height(),
                        entry.width() - grid.sample - 2 * style.gap, metrics.height());
      painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, lines[k]);
    }
  }
  painter.restore();
}

}  // namespace softscope
