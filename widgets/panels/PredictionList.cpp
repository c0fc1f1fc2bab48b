#include "widgets/panels/PredictionList.h"

#include "widgets/controls/Theme.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>

namespace softscope {
namespace {

constexpr int rowMargin = 12;
constexpr int barHeight = 3;
constexpr int rowSpace = 7;
/// As many as are shown in any case.
constexpr int defaultLines = 5;

QString percent(double probability) {
  return QStringLiteral("%1 %").arg(probability * 100, 0, 'f', 1);
}

}  // namespace

PredictionList::PredictionList(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Predictions"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void PredictionList::mousePressEvent(QMouseEvent* event) {
  const int line = (event->position().toPoint().y() - rowSpace / 2) / lineHeight();
  if (event->button() != Qt::LeftButton || line < 0 || line >= shownLines()) {
    QWidget::mousePressEvent(event);
    return;
  }
  Q_EMIT chosen(lines_[static_cast<std::size_t>(line)].classIndex);
}

void PredictionList::setLines(std::vector<Line> lines) {
  lines_ = std::move(lines);
  message_.clear();
  describe();
  setToolTip(tr("Click a class to see what speaks for it"));
  setCursor(Qt::PointingHandCursor);
  updateGeometry();
  update();
}

void PredictionList::setMessage(const QString& message) {
  lines_.clear();
  message_ = message;
  setAccessibleDescription(message);
  setToolTip({});
  unsetCursor();
  update();
}

void PredictionList::describe() {
  if (lines_.empty()) return;
  QStringList spoken;
  for (int i = 0; i < shownLines(); ++i) {
    const Line& line = lines_[static_cast<std::size_t>(i)];
    spoken += line.name + u' ' + percent(line.probability);
  }
  setAccessibleDescription(spoken.join(QStringLiteral(", ")));
}

void PredictionList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  describe();
}

int PredictionList::shownLines() const {
  const int room = std::max(1, (height() - rowSpace / 2) / lineHeight());
  return std::min(room, static_cast<int>(lines_.size()));
}

int PredictionList::lineHeight() const {
  return fontMetrics().height() + barHeight + 2 + rowSpace;
}

QSize PredictionList::sizeHint() const {
  return {240, defaultLines * lineHeight() + rowMargin};
}

QSize PredictionList::minimumSizeHint() const {
  return {140, 2 * lineHeight() + rowMargin};
}

void PredictionList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (lines_.empty()) {
    painter.setPen(mutedText(palette()));
    painter.drawText(rect().adjusted(rowMargin, rowSpace, -rowMargin, -rowSpace),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, message_);
    return;
  }
  int top = rowSpace / 2;
  for (int i = 0; i < shownLines(); ++i) {
    paintLine(painter, QRect(rowMargin, top, width() - 2 * rowMargin, lineHeight()),
              lines_[static_cast<std::size_t>(i)]);
    top += lineHeight();
  }
}

void PredictionList::paintLine(QPainter& painter, const QRect& place, const Line& line) const {
  const QFontMetrics metrics = fontMetrics();
  const QString number = percent(line.probability);
  const int numberWidth = metrics.horizontalAdvance(number) + rowSpace;
  const QRect text(place.left(), place.top(), place.width(), metrics.height());
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(line.name, Qt::ElideRight, place.width() - numberWidth));
  painter.setPen(mutedText(palette()));
  painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, number);

  const QRectF track(place.left(), text.bottom() + 2, place.width(), barHeight);
  painter.fillRect(track, palette().color(QPalette::Mid));
  QRectF bar = track;
  bar.setWidth(track.width() * std::clamp(line.probability, 0.0, 1.0));
  painter.fillRect(bar, palette().color(QPalette::Highlight));
}

}  // namespace softscope
