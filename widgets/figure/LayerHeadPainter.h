#pragma once

#include "widgets/AttentionValues.h"
#include "widgets/figure/FigureStyle.h"

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
  ValueRange range;
  const ColorMap* colors = nullptr;

  int heads() const;
};

/// Where a map's parts lie.
struct LayerHeadLayout {
  /// Of the cells, layers from top to bottom.
  QRectF cells;
  QSizeF cell;
  QRectF colorBar;
};

LayerHeadLayout layoutLayerHeadMap(const QRectF& place, const LayerHeadMap& map,
                                   const FigureStyle& style);

/// Head numbers above, layer names to the left, numbers in the cells where they fit. `chosen` is
/// framed: x is the head, or -1 for the whole layer, y the layer.
void paintLayerHeadMap(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                       const FigureStyle& style, std::optional<QPoint> chosen);

/// The cell at a place: x is the head, y the layer; none beside the cells or where a layer has no
/// such head.
std::optional<QPoint> cellAt(const LayerHeadLayout& layout, const LayerHeadMap& map,
                             const QPointF& place);

}  // namespace softscope
