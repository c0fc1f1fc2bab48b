#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QPoint>
#include <QtCore/QRectF>
#include <QtCore/QStringList>

#include <optional>
#include <vector>

class QPainter;

namespace softscope {

struct ColorMap;

/// A map of layers x heads: one number for every head of every layer.
struct LayerHeadMap {
  QStringList layers;
  /// The numbers, `[layers][heads of the layer]`; empty where a number is not defined. A number
  /// that is not finite is drawn as if it were not defined.
  std::vector<std::vector<std::optional<double>>> values;
  /// One number for each whole layer, shown in a column before the heads; empty for no such column.
  std::vector<std::optional<double>> whole;
  ValueRange range;
  const ColorMap* colors = nullptr;
  /// Colours follow the powers of ten; the range must be positive.
  bool logarithmic = false;
  /// Number of significant digits that tell the numbers apart. With more than three, all cells have
  /// as many, if they fit.
  int digits = 3;
  /// Cells to mark in their corner: x is the head, or -1 for the whole layer; y is the layer.
  std::vector<QPoint> marked;
  /// Shows a colour bar below the cells.
  bool colorBar = true;

  int heads() const;
  /// Returns the number of a head, or of the whole layer for -1.
  const std::optional<double>& value(int layer, int head) const;
};

/// The rectangles of a map's parts.
struct LayerHeadLayout {
  /// The rectangle of the layers' names.
  QRectF names;
  /// The layers' names, shortened if the full ones do not fit.
  QStringList layers;
  /// The rectangle of the cells, with layers from top to bottom.
  QRectF cells;
  /// The rectangle of the column of whole layers; empty if there is none.
  QRectF whole;
  QSizeF cell;
  QRectF colorBar;
};

/// How large cells may grow: as figures have them, or as far as a page has room for them.
enum class CellGrowth { Figure, Page };

LayerHeadLayout layoutLayerHeadMap(const QRectF& place, const LayerHeadMap& map,
                                   const FigureStyle& style,
                                   CellGrowth growth = CellGrowth::Figure);

/// Returns the width over height of a map in a figure, high enough for the layers' names.
double layerHeadAspect(const LayerHeadMap& map);

/// Draws head numbers above, layer names to the left, and numbers in the cells if they fit. The
/// cell `chosen` is framed: x is the head, or -1 for the whole layer; y is the layer.
void paintLayerHeadMap(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                       const FigureStyle& style, std::optional<QPoint> chosen);

/// Returns the cell of the map at a place: x is the head, or -1 in the column of whole layers; y is
/// the layer. Returns nothing for a place outside the cells, and for a head that the layer does not
/// have.
std::optional<QPoint> cellAt(const LayerHeadLayout& layout, const LayerHeadMap& map,
                             const QPointF& place);

}  // namespace softscope
