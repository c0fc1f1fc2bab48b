#include "widgets/plot/LabelRoom.h"

#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/PlotRange.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace softscope {

std::optional<std::size_t> labelledPoint(const PlotCurve& curve, const Plot& plot) {
  if (curve.label.isEmpty() || curve.line == PlotCurve::Line::Bars) return std::nullopt;
  for (std::size_t i = std::min(curve.x.size(), curve.y.size()); i-- > 0;) {
    if (isDrawable(curve.x[i], plot.x) && isDrawable(curve.y[i], plot.y)) return i;
  }
  return std::nullopt;
}

double swatchWidth(const FigureStyle& style) {
  return 3 * style.gap;
}

double labelsWidth(const Plot& plot, const FigureStyle& style) {
  const QFontMetricsF metrics(style.small);
  double width = 0;
  for (const PlotCurve& curve : plot.curves) {
    if (!labelledPoint(curve, plot)) continue;
    width = std::max(width, swatchWidth(style) + metrics.horizontalAdvance(curve.label));
  }
  return width;
}

bool labelsFit(const Plot& plot, const QSizeF& size, const FigureStyle& style) {
  constexpr double widestShare = 0.4;
  const auto labels = std::ranges::count_if(
      plot.curves, [&](const PlotCurve& curve) { return labelledPoint(curve, plot).has_value(); });
  const double room = size.height() - heightBelowAxes(plot.x, style) - 2 * style.gap;
  return static_cast<double>(labels) * QFontMetricsF(style.small).height() <= room &&
         labelsWidth(plot, style) <= widestShare * size.width();
}

namespace {

/// Side of the squares that a curve occupies, as a share of the gap.
constexpr double cellShare = 0.75;

/// Returns how many such squares cover a length; at least one.
int cellsIn(double length, double gap) {
  return static_cast<int>(std::ceil(std::max(0.0, length) / (cellShare * gap))) + 1;
}

/// Returns the tops of labels of that height, in order: as close to `wanted`, which ascends, as
/// they can be within `least` and `most` without an overlap.
std::vector<double> stackedTops(const std::vector<double>& wanted, double height, double least,
                                double most) {
  // Without the heights of the labels before it, each top must be at least that of the one before:
  // the closest such tops are means of runs (isotonic regression by pooling).
  struct Run {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    runs.push_back({wanted[i] - static_cast<double>(i) * height, 1});
    while (runs.size() > 1 && runs.back().mean() < runs[runs.size() - 2].mean()) {
      const Run last = runs.back();
      runs.pop_back();
      runs.back().sum += last.sum;
      runs.back().count += last.count;
    }
  }
  const double highest = most - static_cast<double>(wanted.size()) * height;
  std::vector<double> tops;
  for (const Run& run : runs) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const double top = std::clamp(run.mean(), least, std::max(least, highest));
      tops.push_back(top + static_cast<double>(tops.size()) * height);
    }
  }
  return tops;
}

}  // namespace

LabelRoom::LabelRoom(const QRectF& axes, const std::vector<QPolygonF>& lines, double gap)
    : axes_(axes),
      gap_(gap),
      columns_(cellsIn(axes.width(), gap)),
      rows_(cellsIn(axes.height(), gap)),
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), false) {
  // A plot that is too small for its numbers has no axes.
  if (!axes_.isValid()) return;
  for (const QPolygonF& line : lines) occupy(line);
}

void LabelRoom::occupy(const QPolygonF& line) {
  const double side = cellShare * gap_;
  const auto mark = [&](const QPointF& at) {
    if (!axes_.contains(at)) return;
    const int column = static_cast<int>((at.x() - axes_.left()) / side);
    const int row = static_cast<int>((at.y() - axes_.top()) / side);
    cells_[static_cast<std::size_t>(row * columns_ + column)] = true;
  };
  // A zoomed line may reach far beyond the axes.
  constexpr double mostSteps = 2000;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QPointF from = line[std::max<qsizetype>(0, i - 1)];
    const QPointF along = line[i] - from;
    const double steps = std::min(mostSteps, std::ceil(along.manhattanLength() / side));
    for (double step = 1; step < steps; ++step) mark(from + along * (step / steps));
    mark(line[i]);
  }
}

int LabelRoom::occupied(const QRectF& place) const {
  const double side = cellShare * gap_;
  const auto cellAt = [side](double from, double at, int count) {
    return std::clamp(static_cast<int>((at - from) / side), 0, count - 1);
  };
  int count = 0;
  for (int row = cellAt(axes_.top(), place.top(), rows_);
       row <= cellAt(axes_.top(), place.bottom(), rows_); ++row) {
    for (int column = cellAt(axes_.left(), place.left(), columns_);
         column <= cellAt(axes_.left(), place.right(), columns_); ++column) {
      count += cells_[static_cast<std::size_t>(row * columns_ + column)] ? 1 : 0;
    }
  }
  return count;
}

bool LabelRoom::isFree(const QRectF& place) const {
  return axes_.contains(place) &&
         std::ranges::none_of(taken_, [&](const QRectF& other) { return other.intersects(place); });
}

QRectF LabelRoom::besideEnd(const LabelledEnd& of) const {
  // A label that covers a curve is worse than one some lines away from its end.
  const double perCell = of.size.height() / 2;
  QRectF best;
  double least = 0;
  const double step = of.size.height() / 2;
  const int reach = static_cast<int>(axes_.height() / step);
  for (const double aside : {1.5 * gap_, 6 * gap_, 12 * gap_}) {
    for (int k = -reach; k <= reach; ++k) {
      const QRectF place(of.end + QPointF(aside, k * step - of.size.height() / 2), of.size);
      if (!isFree(place)) continue;
      const double cost = aside + std::abs(k) * step + perCell * occupied(place);
      if (!best.isEmpty() && cost >= least) continue;
      best = place;
      least = cost;
    }
  }
  return best;
}

std::vector<QRectF> LabelRoom::besideEnds(const std::vector<LabelledEnd>& ends) {
  std::vector<QRectF> places(ends.size());
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ends[i].end.y(); });
  std::vector<std::size_t> column;
  for (const std::size_t i : order) {
    const LabelledEnd& of = ends[i];
    if (of.end.x() + 2 * gap_ + of.size.width() <= axes_.right()) places[i] = besideEnd(of);
    if (places[i].isEmpty()) {
      column.push_back(i);
    } else {
      taken_.push_back(places[i]);
    }
  }
  std::vector<double> wanted;
  double height = 0;
  for (const std::size_t i : column) {
    height = ends[i].size.height();
    wanted.push_back(ends[i].end.y() - height / 2);
  }
  const std::vector<double> tops = stackedTops(wanted, height, axes_.top(), axes_.bottom());
  for (std::size_t k = 0; k < column.size(); ++k) {
    places[column[k]] = QRectF(QPointF(axes_.right() + 3 * gap_, tops[k]), ends[column[k]].size);
  }
  return places;
}

QRectF LabelRoom::alongLevel(double y, const QSizeF& size) {
  QRectF best(QPointF(axes_.right() - size.width(), y - size.height()), size);
  double least = -1;
  for (double left = axes_.right() - size.width(); left >= axes_.left(); left -= size.height()) {
    for (const double top : {y - size.height() - gap_ / 4, y + gap_ / 4}) {
      const QRectF place(QPointF(left, top), size);
      if (!isFree(place)) continue;
      const double cost = occupied(place);
      if (least >= 0 && cost >= least) continue;
      best = place;
      least = cost;
    }
  }
  taken_.push_back(best);
  return best;
}

}  // namespace softscope
