#include "widgets/plot/LabelFit.h"

#include "widgets/plot/PlotCanvas.h"
#include "widgets/plot/PlotRange.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>

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

}  // namespace softscope
