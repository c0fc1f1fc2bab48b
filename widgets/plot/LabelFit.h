#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"

#include <QtCore/QSizeF>

#include <cstddef>
#include <optional>

namespace softscope {

/// Returns the index of a curve's last point if its label can be written beside it; empty if it has
/// no label or nothing that can be drawn.
std::optional<std::size_t> labelledPoint(const PlotCurve& curve, const Plot& plot);

/// Returns the width of the curve's colour before a label, with the gap behind it.
double swatchWidth(const FigureStyle& style);

/// Returns the width that the labels of a plot's curves take right of its axes; 0 for none.
double labelsWidth(const Plot& plot, const FigureStyle& style);

/// True if a drawing of that size, axes included, has room for the labels of all of the plot's
/// curves.
bool labelsFit(const Plot& plot, const QSizeF& size, const FigureStyle& style);

}  // namespace softscope
