#include "widgets/views/FigurePreview.h"

#include "core/Error.h"

#include <QtGui/QPainter>

#include <cmath>
#include <utility>

namespace softscope {
namespace {

constexpr double previewMargin = 14;
constexpr int checkSide = 8;

/// Paints the chequered background that is visible through a transparent figure.
void paintChecks(QPainter& painter, const QRectF& place) {
  painter.fillRect(place, QColor(0xffffff));
  for (int y = 0; y * checkSide < place.height(); ++y) {
    for (int x = y % 2; x * checkSide < place.width(); x += 2) {
      const QRectF check(place.left() + x * checkSide, place.top() + y * checkSide, checkSide,
                         checkSide);
      painter.fillRect(check & place, QColor(0xe4e6ea));
    }
  }
}

}  // namespace

FigurePreview::FigurePreview(PrintableFigure figure, QWidget* parent)
    : QWidget(parent), figure_(std::move(figure)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void FigurePreview::setFigure(PrintableFigure figure) {
  figure_ = std::move(figure);
  millimetres_ = {};
  drawn_ = {};
  update();
}

bool FigurePreview::setSettings(const FigureSettings& settings) {
  settings_ = settings;
  drawn_ = {};
  problem_.clear();
  try {
    millimetres_ = figure_.size(settings);
  } catch (const std::exception& error) {
    problem_ = QString::fromStdString(sentenceOf(error));
  }
  update();
  return problem_.isEmpty();
}

QRectF FigurePreview::place() const {
  const QSizeF room(width() - 2 * previewMargin, height() - 2 * previewMargin);
  const QSizeF size = millimetres_.scaled(room, Qt::KeepAspectRatio);
  return {std::round((width() - size.width()) / 2), std::round((height() - size.height()) / 2),
          std::round(size.width()), std::round(size.height())};
}

void FigurePreview::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Mid));
  if (!problem_.isEmpty() || millimetres_.isEmpty()) return;

  const QRectF sheet = place();
  const QSize pixels = (sheet.size() * devicePixelRatioF()).toSize();
  if (drawn_.size() != pixels) {
    drawn_ = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    drawn_.fill(Qt::transparent);
    QPainter onto(&drawn_);
    onto.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    figure_.paint(onto, QRectF(QPointF(0, 0), QSizeF(pixels)), settings_);
  }
  paintChecks(painter, sheet);
  painter.drawImage(sheet, drawn_);
}

}  // namespace softscope
