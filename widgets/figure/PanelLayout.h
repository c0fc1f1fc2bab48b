#pragma once

#include "widgets/figure/PanelFigure.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtCore/QStringList>

#include <vector>

namespace softscope {

/// A caption, broken into lines that fit.
struct PlacedCaption {
  QRectF place;
  /// The block's letter, e.g. `(a)`; may be empty.
  QString letter;
  FigureCaption text;
  /// The name, broken into as many lines as it needs.
  QStringList names;
  /// The detail is too wide to follow the name's last line and stands below it.
  bool isDetailBelow = false;
  QStringList about;
};

struct PlacedCell {
  const FigureCell* cell = nullptr;
  HeadPanelLayout parts;
  QString letter;
};

struct PlacedBar {
  QRectF place;
  /// The rectangle of the label.
  QRectF beside;
  FigureBar bar;
};

struct PlacedLegend {
  QRectF place;
  std::vector<LegendEntry> entries;
};

/// The layout of a figure, in tenths of a millimetre from its corner. It points into the figure
/// that it was made from.
struct PanelLayout {
  static constexpr double unitsPerMillimetre = 10;

  FigureStyle style;
  QSizeF size;
  std::vector<PlacedCaption> captions;
  std::vector<PlacedCell> cells;
  std::vector<PlacedBar> bars;
  std::vector<PlacedLegend> legends;
};

/// Lays a figure out. Throws Error if the width leaves no room for the panels, or if a font is
/// missing.
PanelLayout layoutPanelFigure(const PanelFigure& figure);

}  // namespace softscope
