#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QRectF>
#include <QtCore/QSizeF>
#include <QtGui/QImage>

#include <functional>
#include <string>

class QPainter;

namespace softscope {

/// Draws a figure into the rectangle it is given, whatever the painter writes to.
using FigurePainter = std::function<void(QPainter&, const QRectF&)>;

/// Writes a figure as PNG, SVG or PDF by the file's extension, atomically. Lines and letters of SVG
/// and PDF stay vectors; heat maps and pictures are placed at `dpi`. The same figure gives the same
/// bytes. A PDF's readers show `title`. Throws FileError for another extension, a folder that is
/// missing, or a picture too large for memory. Needs a QGuiApplication.
void saveFigure(const std::string& path, QSizeF millimetres, int dpi, const FigurePainter& paint,
                const QString& title = QStringLiteral("Softscope figure"));

/// Throws FileError unless saveFigure() can write the extension; for a look before long work.
void checkFigurePath(const std::string& path);

/// The figure as an image, as it would stand in a PNG: with an alpha channel only where it leaves
/// some of its ground unpainted.
QImage figureImage(QSizeF millimetres, int dpi, const FigurePainter& paint);

/// The figure as the text of an SVG file.
QByteArray figureSvg(QSizeF millimetres, int dpi, const FigurePainter& paint);

}  // namespace softscope
