#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/paint/FigureStyle.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QPoint>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <vector>

class QPainter;

namespace softscope {

struct ColorMap;

/// One number for every head of every layer.
struct LayerHeadMap {
  QStringList layers;
  /// [layers][heads of it]; none where the number is not defined.
  std::vector<std::vector<std::optional<double>>> values;
  /// One for the whole of each layer, in a column before the heads; empty for no such column.
  std::vector<std::optional<double>> whole;
  ValueRange range;
  const ColorMap* colors = nullptr;
  /// Colours follow the powers of ten; the range is positive.
  bool logarithmic = false;
  /// Cells with a mark in their corner: x is the head, or -1 for the whole layer, y the layer.
  std::vector<QPoint> marked;
  /// Below the cells.
  bool colorBar = true;

  int heads() const;
  /// The number of a head, or of the whole layer for -1.
  const std::optional<double>& value(int layer, int head) const;
};

/// Where a map's parts lie.
struct LayerHeadLayout {
  /// Of the layers' names.
  QRectF names;
  /// The names, short where the whole ones have no room.
  QStringList layers;
  /// Of the cells, layers from top to bottom.
  QRectF cells;
  /// Of the column of whole layers; empty where there is none.
  QRectF whole;
  QSizeF cell;
  QRectF colorBar;
};

LayerHeadLayout layoutLayerHeadMap(const QRectF& place, const LayerHeadMap& map,
                                   const FigureStyle& style);

/// Width over height of a map on paper, high enough for its layers' names.
double layerHeadAspect(const LayerHeadMap& map);

/// Head numbers above, layer names to the left, numbers in the cells where they fit. `chosen` is
/// framed: x is the head, or -1 for the whole layer, y the layer.
void paintLayerHeadMap(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                       const FigureStyle& style, std::optional<QPoint> chosen);

/// The cell at a place: x is the head, or -1 in the column of whole layers, y the layer; none
/// beside the cells or where a layer has no such head.
std::optional<QPoint> cellAt(const LayerHeadLayout& layout, const LayerHeadMap& map,
                             const QPointF& place);

}  // namespace softscope
