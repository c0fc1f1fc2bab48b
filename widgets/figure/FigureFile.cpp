#include "widgets/figure/FigureFile.h"

#include "core/Error.h"
#include "core/files/AtomicFile.h"
#include "core/text/Words.h"

#include <QtCore/QBuffer>
#include <QtCore/QHash>
#include <QtCore/QRegularExpression>
#include <QtCore/QString>
#include <QtGui/QPageLayout>
#include <QtGui/QPageSize>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>
#include <QtSvg/QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

namespace softscope {
namespace {

PanelFigure withSettings(PanelFigure figure, const FigureSettings& settings) {
  figure.settings = settings;
  return figure;
}

constexpr double millimetresPerInch = 25.4;
constexpr double largestSide = 32767;

QSize pixelsOf(QSizeF millimetres, int dpi) {
  const QSizeF pixels = millimetres * dpi / millimetresPerInch;
  if (dpi < 1 || pixels.width() > largestSide || pixels.height() > largestSide) {
    throw Error("a figure of " + std::to_string(std::lround(millimetres.width())) + " x " +
                std::to_string(std::lround(millimetres.height())) + " mm cannot be drawn at " +
                std::to_string(dpi) + " dpi; choose between 1 and " +
                std::to_string(int(largestSide * millimetresPerInch /
                                   std::max(millimetres.width(), millimetres.height()))));
  }
  return QSizeF(std::ceil(pixels.width()), std::ceil(pixels.height())).toSize();
}

bool isOpaque(const QImage& image) {
  for (int y = 0; y < image.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    if (!std::all_of(line, line + image.width(), [](QRgb pixel) { return qAlpha(pixel) == 255; })) {
      return false;
    }
  }
  return true;
}

QByteArray figurePng(QSizeF millimetres, int dpi, const FigurePainter& paint) {
  const QImage image = figureImage(millimetres, dpi, paint);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!image.save(&buffer, "PNG")) throw Error("the figure could not be encoded as PNG");
  return bytes;
}

/// Removes the creation time from a PDF, so that the same figure gives the same bytes. It is
/// overwritten with spaces, so that the offsets in the file's cross-reference table stay correct.
void forgetMoment(QByteArray& pdf) {
  for (const QByteArray& key : {QByteArray("/CreationDate ("), QByteArray("/ModDate (")}) {
    const qsizetype from = pdf.indexOf(key);
    const qsizetype end = from < 0 ? -1 : pdf.indexOf(')', from);
    if (end >= 0) std::fill(pdf.begin() + from, pdf.begin() + end + 1, ' ');
  }
}

QPageSize pageSizeOf(const PrintedFigure& page) {
  return QPageSize(page.millimetres, QPageSize::Millimeter, QStringLiteral("figure"),
                   QPageSize::ExactMatch);
}

QByteArray figuresPdf(const std::vector<PrintedFigure>& pages, int dpi, const QString& title) {
  // Qt writes a PDF's fonts in the order of a hash table, which differs between processes unless
  // its seed is fixed.
  QHashSeed::setDeterministicGlobalSeed();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Softscope"));
    writer.setTitle(title);
    writer.setResolution(dpi);
    writer.setPageSize(pageSizeOf(pages.front()));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    QPainter painter(&writer);
    // Heat maps are data and must not be compressed as JPEG.
    painter.setRenderHint(QPainter::LosslessImageRendering);
    for (const PrintedFigure& page : pages) {
      if (&page != &pages.front()) {
        writer.setPageSize(pageSizeOf(page));
        writer.newPage();
      }
      const QSizeF size = page.millimetres * dpi / millimetresPerInch;
      painter.save();
      page.paint(painter, QRectF(QPointF(0, 0), size));
      painter.restore();
    }
  }
  forgetMoment(bytes);
  return bytes;
}

/// Replaces the characters that XML 1.0 has no place for, not even escaped: names from files may
/// have them.
QString asXml(QString text) {
  for (QChar& letter : text) {
    const char16_t code = letter.unicode();
    const bool isSpace = code == u'\t' || code == u'\n' || code == u'\r';
    if ((code < 0x20 && !isSpace) || code >= 0xfffe) letter = QChar::ReplacementCharacter;
  }
  return text;
}

}  // namespace

PrintableFigure printable(PanelFigure figure) {
  const auto shared = std::make_shared<const PanelFigure>(std::move(figure));
  return {[shared](const FigureSettings& settings) {
            return panelFigureSize(withSettings(*shared, settings));
          },
          [shared](QPainter& painter, const QRectF& place, const FigureSettings& settings) {
            paintPanelFigure(painter, place, withSettings(*shared, settings));
          },
          [shared](const FigureSettings&) { return figureTitle(*shared); }};
}

PrintableFigure printable(std::function<PanelFigure(const FigureSettings&)> makeFigure) {
  return {
      [makeFigure](const FigureSettings& settings) {
        return panelFigureSize(makeFigure(settings));
      },
      [makeFigure](QPainter& painter, const QRectF& place, const FigureSettings& settings) {
        paintPanelFigure(painter, place, makeFigure(settings));
      },
      [makeFigure](const FigureSettings& settings) { return figureTitle(makeFigure(settings)); }};
}

QImage figureImage(QSizeF millimetres, int dpi, const FigurePainter& paint) {
  const QSize pixels = pixelsOf(millimetres, dpi);
  QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) throw Error("there is not enough memory for the figure at this resolution");
  image.fill(Qt::transparent);
  const int dotsPerMetre = static_cast<int>(std::lround(dpi * 1000 / millimetresPerInch));
  image.setDotsPerMeterX(dotsPerMetre);
  image.setDotsPerMeterY(dotsPerMetre);
  {
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    paint(painter, QRectF(QPointF(0, 0), QSizeF(pixels)));
  }
  // Drops the alpha channel if nothing is transparent.
  return isOpaque(image) ? image.convertToFormat(QImage::Format_RGB32) : image;
}

QByteArray figureSvg(QSizeF millimetres, int dpi, const FigurePainter& paint) {
  const QSize pixels = pixelsOf(millimetres, dpi);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(dpi);
  generator.setSize(pixels);
  generator.setViewBox(QRect(QPoint(0, 0), pixels));
  generator.setTitle(QStringLiteral("Softscope figure"));
  QPainter painter(&generator);
  paint(painter, QRectF(QPointF(0, 0), QSizeF(pixels)));
  painter.end();
  // Qt names a single family; if a viewer lacks it, a font as wide as DejaVu Sans should be used.
  // A lone half of a character is replaced on the way from UTF-8.
  QString text = asXml(QString::fromUtf8(bytes));
  static const QRegularExpression family(QStringLiteral("font-family=\"([^\"]*)\""));
  text.replace(family, QStringLiteral("font-family=\"\\1, Verdana, sans-serif\""));
  return text.toUtf8();
}

std::string endingOf(const std::string& path) {
  return lowerCase(std::filesystem::path(path).extension().string());
}

void checkFigurePath(const std::string& path) {
  const std::string ending = endingOf(path);
  if (ending == ".png" || ending == ".svg" || ending == ".pdf") return;
  throw FileError(path, "a figure's name ends in .png, .svg or .pdf");
}

void saveFigure(const std::string& path, QSizeF millimetres, int dpi, const FigurePainter& paint,
                const QString& title) {
  checkFigurePath(path);
  const std::string ending = endingOf(path);
  pixelsOf(millimetres, dpi);
  const QByteArray bytes = ending == ".png"   ? figurePng(millimetres, dpi, paint)
                           : ending == ".svg" ? figureSvg(millimetres, dpi, paint)
                                              : figuresPdf({{millimetres, paint}}, dpi, title);
  writeFileAtomically(path, std::string_view(bytes.constData(), std::size_t(bytes.size())));
}

void saveFigures(const std::string& path, const std::vector<PrintedFigure>& pages, int dpi,
                 const QString& title) {
  if (endingOf(path) != ".pdf") throw FileError(path, "several figures are the pages of a .pdf");
  if (pages.empty()) throw Error("there are no figures for the pages of a PDF");
  for (const PrintedFigure& page : pages) pixelsOf(page.millimetres, dpi);
  const QByteArray bytes = figuresPdf(pages, dpi, title);
  writeFileAtomically(path, std::string_view(bytes.constData(), std::size_t(bytes.size())));
}

}  // namespace softscope
