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

/// A cell of a figure's grid; empty if it has neither a picture nor values.
struct FigureCell {
  /// Draws something other than an image into a place.
  using Drawing = std::function<void(QPainter&, const QRectF& place, const FigureStyle&)>;

  HeadPanel panel;
  /// The picture; if null, the heat map is drawn alone.
  std::shared_ptr<const CroppedPicture> picture;
  /// Width over height of the image.
  double aspect = 1;
  /// Draws the content below the title in place of the panel's image; may be empty.
  Drawing drawing;
};

/// The caption above a block of panels or above a column of them.
struct FigureCaption {
  /// Printed in bold; `detail` follows beside it.
  QString name;
  QString detail;
  /// Printed at the right end of the first line.
  QString result;
  /// Printed smaller, below the name.
  QString about;
  /// The least number of lines that `about` takes.
  int aboutLines = 0;
};

/// A colour bar that serves several panels.
struct FigureBar {
  ValueRange range;
  const ColorMap* colors = nullptr;
  /// Name of the quantity on the scale, printed left of the bar; may be empty.
  QString label;
};

/// A group of panels with a caption of its own, arranged in the figure's columns.
struct FigureBlock {
  std::optional<FigureCaption> caption;
  std::vector<FigureCell> cells;
  std::optional<FigureBar> bar;
  /// Number of columns, or a divisor of it if that many would not be legible; 0 for the figure's
  /// number of columns.
  int columns = 0;
  /// The plots among the block's cells. Their legend is printed below them; where all have room for
  /// the labels of their curves, it holds what these leave.
  std::vector<Plot> plots;
};

/// The common form of all figures that consist of panels. panelFigureSize() returns its size, and
/// paintPanelFigure() paints it.
struct PanelFigure {
  FigureSettings settings;
  /// A caption above each column, for blocks without captions.
  std::vector<FigureCaption> columnHeads;
  std::vector<FigureBlock> blocks;
  /// Colour bars that serve several blocks, printed at the end.
  std::vector<FigureBar> bars;
  /// The panels hold plots, which need more width than pictures to be legible.
  bool widePanels = false;
  /// The largest number of columns unless the user chose one; 0 for as many as fit.
  int mostColumns = 0;
};

/// Returns the number of columns of panels that are legible at these settings, or the number that
/// the user chose.
int fittingColumns(const FigureSettings& settings);

/// Returns the title that viewers show for the figure's file: `soft_tiny, block1.0.att.mha.attn`.
QString figureTitle(const PanelFigure& figure);

/// Returns width and height in millimetres. Throws Error if the width leaves no room for the
/// panels.
QSizeF panelFigureSize(const PanelFigure& figure);

/// Draws the figure into `place` with any painter. Needs a QGuiApplication, for fonts.
void paintPanelFigure(QPainter& painter, const QRectF& place, const PanelFigure& figure);

}  // namespace softscope
