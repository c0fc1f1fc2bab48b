#include "widgets/plot/CurveLabels.h"

#include "widgets/plot/LabelRoom.h"
#include "widgets/plot/PlotRange.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace softscope {
CurveLabels::CurveLabels(QCustomPlot* canvas, const Plot& plot, bool ofCurves,
                         const FigureStyle& style)
    : QCPAbstractItem(canvas), plot_(plot), style_(style) {
  setClipToAxisRect(false);
  setSelectable(false);
  const QFontMetricsF metrics(style_.small);
  const auto sizeOf = [&metrics](const QString& text) {
    return QSizeF(metrics.horizontalAdvance(text), metrics.height());
  };
  for (std::size_t i = 0; ofCurves && i < plot_.curves.size(); ++i) {
    const PlotCurve& curve = plot_.curves[i];
    const auto last = labelledPoint(curve, plot_);
    if (!last) continue;
    labels_.push_back({.text = curve.label,
                       .color = curve.color,
                       .size = sizeOf(curve.label) + QSizeF(swatchWidth(style_), 0),
                       .last = {static_cast<int>(i), *last},
                       .end = {},
                       .place = {}});
  }
  for (const PlotLevel& level : plot_.levels) {
    if (level.orientation != Qt::Horizontal || level.label.isEmpty()) continue;
    levels_.push_back({level.value, level.label, sizeOf(level.label), {}});
  }
}

std::optional<PlotPoint> CurveLabels::endAt(const QPointF& place) const {
  for (const Label& label : labels_) {
    if (label.place.contains(place)) return label.last;
  }
  return std::nullopt;
}

void CurveLabels::keep(const std::function<bool(const PlotCurve&)>& kept, double paleAlpha) {
  paleAlpha_ = paleAlpha;
  for (Label& label : labels_) {
    label.pale = kept && !kept(plot_.curves[static_cast<std::size_t>(label.last.curve)]);
  }
}

double CurveLabels::selectTest(const QPointF&, bool, QVariant*) const {
  return -1;
}

std::vector<QPolygonF> CurveLabels::drawnLines(const PlotCurve& curve) const {
  std::vector<QPolygonF> lines(1);
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    if (!isDrawable(curve.x[i], plot_.x) || !isDrawable(curve.y[i], plot_.y)) {
      if (!lines.back().isEmpty()) lines.emplace_back();
      continue;
    }
    const QPointF at(mParentPlot->xAxis->coordToPixel(curve.x[i]),
                     mParentPlot->yAxis->coordToPixel(curve.y[i]));
    if (curve.line == PlotCurve::Line::None && !lines.back().isEmpty()) lines.emplace_back();
    lines.back() += at;
  }
  return lines;
}

std::optional<QPointF> CurveLabels::endOf(const PlotCurve& curve) const {
  const QRectF axes = mParentPlot->axisRect()->rect();
  std::optional<QPointF> end;
  for (const QPolygonF& line : drawnLines(curve)) {
    for (qsizetype i = 0; i < line.size(); ++i) {
      if (line[i].x() <= axes.right()) {
        end = line[i];
      } else if (i > 0 && line[i - 1].x() < axes.right()) {
        const QPointF along = line[i] - line[i - 1];
        end = line[i - 1] + along * ((axes.right() - line[i - 1].x()) / along.x());
      }
    }
  }
  if (!end || end->x() < axes.left() || end->y() < axes.top() || end->y() > axes.bottom()) {
    return std::nullopt;
  }
  return end;
}

void CurveLabels::placeLabels() {
  std::vector<QPolygonF> lines;
  for (const PlotCurve& curve : plot_.curves) {
    if (curve.line == PlotCurve::Line::Bars) continue;
    const std::vector<QPolygonF> drawn = drawnLines(curve);
    lines.insert(lines.end(), drawn.begin(), drawn.end());
  }
  for (const PlotBand& band : plot_.bands) {
    for (const std::vector<double>* edge : {&band.low, &band.high}) {
      PlotCurve line;
      line.x = band.x;
      line.y = *edge;
      const std::vector<QPolygonF> drawn = drawnLines(line);
      lines.insert(lines.end(), drawn.begin(), drawn.end());
    }
  }
  const QRectF axes = mParentPlot->axisRect()->rect();
  LabelRoom room(axes, lines, style_.gap);
  std::vector<LabelledEnd> ends;
  for (Label& label : labels_) {
    label.place = {};
    const auto end = endOf(plot_.curves[static_cast<std::size_t>(label.last.curve)]);
    label.end = end.value_or(QPointF(-1, -1));
    if (end) ends.push_back({*end, label.size});
  }
  const std::vector<QRectF> places = room.besideEnds(ends);
  auto place = places.begin();
  for (Label& label : labels_) {
    if (label.end != QPointF(-1, -1)) label.place = *place++;
  }
  for (LevelLabel& level : levels_) {
    const bool isSeen = mParentPlot->yAxis->range().contains(level.value);
    const double y = mParentPlot->yAxis->coordToPixel(level.value);
    level.place = isSeen ? room.alongLevel(y, level.size) : QRectF();
  }
}

void CurveLabels::draw(QCPPainter* painter) {
  if (labels_.empty() && levels_.empty()) return;
  if (!mParentPlot->axisRect()->rect().isValid()) return;
  placeLabels();
  const auto write = [painter](const QRectF& place, const QColor& color, const QString& text) {
    painter->setPen(QPen(color));
    painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, text);
  };
  painter->setFont(style_.small);
  for (const Label& label : labels_) {
    if (label.place.isEmpty()) continue;
    QColor color = label.color;
    QColor ink = style_.text;
    if (label.pale) {
      color.setAlphaF(static_cast<float>(paleAlpha_));
      ink.setAlphaF(static_cast<float>(paleAlpha_));
    }
    const QPointF beside(label.place.left() - style_.gap / 2, label.place.center().y());
    const QPointF away = beside - label.end;
    if (std::abs(away.y()) > label.size.height() / 4 || away.x() > 4 * style_.gap) {
      painter->setPen(QPen(color, style_.hairline * 0.6));
      painter->drawLine(QLineF(label.end + QPointF(style_.gap / 2, 0), beside));
    }
    // Letters in the curve's colour would have to be darkened until colours look alike.
    const double swatch = swatchWidth(style_);
    painter->setPen(QPen(color, 3 * style_.hairline, Qt::SolidLine, Qt::FlatCap));
    painter->drawLine(QLineF(label.place.left(), beside.y(),
                             label.place.left() + swatch - style_.gap, beside.y()));
    write(label.place.adjusted(swatch, 0, 0, 0), ink, label.text);
  }
  for (const LevelLabel& level : levels_) {
    if (!level.place.isEmpty()) write(level.place, style_.muted, level.text);
  }
}

}  // namespace softscope
