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
  /// `(a)`, or empty.
  QString letter;
  FigureCaption text;
  /// The name, and the lines that it needs.
  QStringList names;
  /// What stands beside its last line, or where that is too wide, below.
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
  /// Of its label.
  QRectF beside;
  FigureBar bar;
};

struct PlacedLegend {
  QRectF place;
  const std::vector<LegendEntry>* entries = nullptr;
};

/// Where everything of a figure lies, in tenths of a millimetre from its corner. Points into the
/// figure it was made of.
struct PanelLayout {
  static constexpr double unitsPerMillimetre = 10;

  FigureStyle style;
  QSizeF size;
  std::vector<PlacedCaption> captions;
  std::vector<PlacedCell> cells;
  std::vector<PlacedBar> bars;
  std::vector<PlacedLegend> legends;
};

/// Throws Error for a width that has no room for the panels, and for a font that is not there.
PanelLayout layoutPanelFigure(const PanelFigure& figure);

}  // namespace softscope
