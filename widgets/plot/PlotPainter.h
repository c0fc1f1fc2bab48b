#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/plot/Plot.h"

#include <QtCore/QRectF>

#include <cstddef>
#include <optional>
#include <vector>

class QPainter;

namespace softscope {

/// Draws a plot's axes and curves into `place`, as vectors, with any painter. Needs a QApplication.
void paintPlot(QPainter& painter, const QRectF& place, const Plot& plot, const FigureStyle& style);

/// Returns the height of a legend of that width, with its entries in as many columns as fit; 0
/// without entries.
double legendHeight(const std::vector<LegendEntry>& entries, double width,
                    const FigureStyle& style);

/// Returns the index of the entry at a place of a legend of that width, as paintLegend() arranges
/// it; empty beside the entries.
std::optional<std::size_t> legendEntryAt(const std::vector<LegendEntry>& entries, double width,
                                         const FigureStyle& style, const QPointF& place);

void paintLegend(QPainter& painter, const QRectF& place, const std::vector<LegendEntry>& entries,
                 const FigureStyle& style);

}  // namespace softscope
