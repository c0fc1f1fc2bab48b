#pragma once

#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/FigureSettings.h"

#include <QtCore/QByteArray>
#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtGui/QImage>

#include <functional>
#include <string>
#include <vector>

class QPainter;

namespace softscope {

/// A figure that can be written at any settings, however it is made.
struct PrintableFigure {
  /// Returns the size in millimetres; throws Error for settings that cannot be met.
  std::function<QSizeF(const FigureSettings&)> size;
  std::function<void(QPainter&, const QRectF&, const FigureSettings&)> paint;
  /// Returns the title for the settings; see figureTitle().
  std::function<QString(const FigureSettings&)> title;
};

/// Makes a printable figure of panels; the settings passed later replace the panels' own.
PrintableFigure printable(PanelFigure figure);

/// Makes a printable figure whose arrangement of panels depends on the settings.
PrintableFigure printable(std::function<PanelFigure(const FigureSettings&)> makeFigure);

/// Draws a figure into the given rectangle with any kind of painter.
using FigurePainter = std::function<void(QPainter&, const QRectF&)>;

/// Writes a figure as PNG, SVG or PDF, depending on the file's extension, atomically. Lines and
/// text stay vectors in SVG and PDF; heat maps and pictures are embedded at `dpi`. The same figure
/// always gives the same bytes. PDF viewers show `title`. Throws FileError for any other extension,
/// a missing folder, or a picture too large for memory. Needs a QGuiApplication.
void saveFigure(const std::string& path, QSizeF millimetres, int dpi, const FigurePainter& paint,
                const QString& title = QStringLiteral("Softscope figure"));

/// A page of a PDF: a figure and its size.
struct PrintedFigure {
  QSizeF millimetres;
  FigurePainter paint;
};

/// Writes figures as the pages of one PDF, each of its figure's size, like saveFigure(). Throws
/// Error if there are none.
void saveFigures(const std::string& path, const std::vector<PrintedFigure>& pages, int dpi,
                 const QString& title);

/// Returns the ending of a file's name in lower case, such as `.png`; empty if it has none.
std::string endingOf(const std::string& path);

/// Throws FileError unless saveFigure() can write the extension; use it to check before long work.
void checkFigurePath(const std::string& path);

/// Returns the figure as an image, identical to a PNG file's; it has an alpha channel only if part
/// of the background is unpainted.
QImage figureImage(QSizeF millimetres, int dpi, const FigurePainter& paint);

/// Returns the figure as the text of an SVG file.
QByteArray figureSvg(QSizeF millimetres, int dpi, const FigurePainter& paint);

}  // namespace softscope
