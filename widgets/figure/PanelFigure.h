#pragma once

#include "widgets/paint/HeadPanel.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/FigureSettings.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QPainter;

namespace softscope {

/// A place in a figure's grid; empty without a picture and without values.
struct FigureCell {
  /// Fills a place with something other than an image.
  using Drawing = std::function<void(QPainter&, const QRectF& place, const FigureStyle&)>;

  HeadPanel panel;
  /// May be null: a heat map then stands alone.
  std::shared_ptr<const CroppedPicture> picture;
  /// Width over height of the image.
  double aspect = 1;
  /// In place of the panel's image, below its title; may be empty.
  Drawing drawing;
};

/// What stands above a block of panels, or above a column of them.
struct FigureCaption {
  /// In bold, and beside it.
  QString name;
  QString detail;
  /// At the right end of the first line.
  QString result;
  /// Smaller, below.
  QString about;
};

/// A colour bar that serves several panels.
struct FigureBar {
  ValueRange range;
  const ColorMap* colors = nullptr;
  /// What it is the scale of, left of it; may be empty.
  QString label;
};

/// Panels that belong together, in lines of the figure's columns.
struct FigureBlock {
  std::optional<FigureCaption> caption;
  std::vector<FigureCell> cells;
  std::optional<FigureBar> bar;
  /// In lines of so many, or of a part of that where they could not be read; 0 for the figure's
  /// columns.
  int columns = 0;
  /// What the colours of its plots mean; below them.
  std::vector<LegendEntry> legend;
};

/// What every figure of panels is made of; figures build one, and it is measured and painted here.
struct PanelFigure {
  FigureSettings settings;
  /// One above each column, where blocks have none.
  std::vector<FigureCaption> columnHeads;
  std::vector<FigureBlock> blocks;
  /// For several blocks, at the end.
  std::vector<FigureBar> bars;
  /// Panels hold plots, which need more width than pictures to be read.
  bool widePanels = false;
  /// Panels beside each other at most where nobody chose columns; 0 for as many as fit.
  int mostColumns = 0;
};

/// Columns of panels that can be read at these settings; what was asked for, if it was.
int fittingColumns(const FigureSettings& settings);

/// What a reader of the figure's file calls it: `soft_tiny, block1.0.att.mha.attn`.
QString figureTitle(const PanelFigure& figure);

/// Width and height in millimetres. Throws Error for a width that has no room for the panels.
QSizeF panelFigureSize(const PanelFigure& figure);

/// Fills `place` of any painter. Needs a QGuiApplication, for its letters.
void paintPanelFigure(QPainter& painter, const QRectF& place, const PanelFigure& figure);

}  // namespace softscope
