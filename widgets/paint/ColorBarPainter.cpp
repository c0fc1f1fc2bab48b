#include "widgets/paint/ColorBarPainter.h"

#include "core/image/ColorMap.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <algorithm>

namespace softscope {
namespace {

QImage ramp(const ColorMap& colors) {
  QImage image(256, 1, QImage::Format_RGB32);
  for (int i = 0; i < 256; ++i) {
    image.setPixel(i, 0, qRgb(colors.colors[i][0], colors.colors[i][1], colors.colors[i][2]));
  }
  return image;
}

/// The least gap between the numbers at both ends, which would read as one number otherwise.
const QString gapOfNumbers = QStringLiteral("0 ");

struct EndLabels {
  QString low;
  QString high;
};

EndLabels labelsFor(const ValueRange& range, const QFontMetricsF& metrics, double width) {
  // Uses fewer digits if three would make the numbers meet in the middle.
  EndLabels labels;
  for (int digits = 3; digits >= 1; --digits) {
    labels = {valueText(range.low, digits), valueText(range.high, digits)};
    if (range.clipped) labels.low.prepend(QStringLiteral("≤ "));
    if (range.clipped || range.exceeded) labels.high.prepend(QStringLiteral("≥ "));
    const double needed = metrics.horizontalAdvance(labels.low + gapOfNumbers + labels.high);
    if (needed <= width) break;
  }
  return labels;
}

}  // namespace

double colorBarHeight(const FigureStyle& style) {
  return style.barHeight + style.gap / 4 + QFontMetricsF(style.small).height();
}

void paintColorBar(QPainter& painter, const QRectF& place, const ValueRange& range,
                   const ColorMap& colors, const FigureStyle& style) {
  if (range.isEmpty) {
    painter.save();
    painter.setFont(style.small);
    painter.setPen(style.muted);
    painter.drawText(
        place, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip,
        QFontMetricsF(style.small)
            .elidedText(QStringLiteral("no finite value"), Qt::ElideRight, place.width()));
    painter.restore();
    return;
  }
  const QRectF bar(place.left(), place.top(), place.width(), style.barHeight);
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(bar, ramp(colors));

  const QFontMetricsF metrics(style.small);
  const QRectF line(place.left(), bar.bottom() + style.gap / 4, place.width(), metrics.height());
  const EndLabels labels = labelsFor(range, metrics, place.width());
  // Under a very narrow bar even the shortest numbers would meet; smaller ones do not.
  const double wide = metrics.horizontalAdvance(labels.low + gapOfNumbers + labels.high);
  QFont font = style.small;
  if (wide > place.width()) {
    const double scale = place.width() / wide;
    if (font.pixelSize() > 0) {
      font.setPixelSize(std::max(1, static_cast<int>(font.pixelSize() * scale)));
    } else {
      font.setPointSizeF(font.pointSizeF() * scale);
    }
  }
  painter.setFont(font);
  painter.setPen(style.muted);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip, labels.low);
  painter.drawText(line, Qt::AlignRight | Qt::AlignTop | Qt::TextDontClip, labels.high);

  const double ends = metrics.horizontalAdvance(labels.low + labels.high);
  const double zero = metrics.horizontalAdvance(QStringLiteral(" 0 "));
  if (range.centred && ends + 2 * zero < place.width()) {
    painter.drawText(line, Qt::AlignHCenter | Qt::AlignTop, QStringLiteral("0"));
  }
  painter.restore();
}

}  // namespace softscope
