#include "widgets/panels/PredictionList.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QKeyEvent>
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

}  // namespace

PredictionList::PredictionList(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Predictions"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setFocusPolicy(Qt::NoFocus);
}

bool PredictionList::event(QEvent* event) {
  // The arrow keys and Enter are the list's own, and not shortcuts of the window.
  if (event->type() == QEvent::ShortcutOverride && !lines_.empty()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    for (const int own : {Qt::Key_Up, Qt::Key_Down, Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space}) {
      if (key == own) event->accept();
    }
  }
  return QWidget::event(event);
}

void PredictionList::keyPressEvent(QKeyEvent* event) {
  if (lines_.empty()) {
    QWidget::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Up:
      setKeyLine(keyLine() - 1);
      break;
    case Qt::Key_Down:
      setKeyLine(keyLine() + 1);
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      choose(keyLine());
      break;
    default:
      QWidget::keyPressEvent(event);
  }
}

void PredictionList::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void PredictionList::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

int PredictionList::keyLine() const {
  return std::clamp(keyLine_, 0, std::max(0, shownLines() - 1));
}

void PredictionList::setKeyLine(int line) {
  keyLine_ = line;
  keyLine_ = keyLine();
  update();
}

void PredictionList::choose(int line) {
  Q_EMIT chosen(lines_[static_cast<std::size_t>(line)].prediction.classIndex);
}

QRect PredictionList::placeOf(int line) const {
  return {rowMargin, rowSpace / 2 + line * lineHeight(), width() - 2 * rowMargin, lineHeight()};
}

void PredictionList::mousePressEvent(QMouseEvent* event) {
  const int line = (event->position().toPoint().y() - rowSpace / 2) / lineHeight();
  if (event->button() != Qt::LeftButton || line < 0 || line >= shownLines()) {
    QWidget::mousePressEvent(event);
    return;
  }
  setKeyLine(line);
  choose(line);
}

void PredictionList::setLines(std::vector<Line> lines) {
  lines_ = std::move(lines);
  message_.clear();
  describe();
  setToolTip(tr("Click a class to see what speaks for it"));
  setCursor(Qt::PointingHandCursor);
  // A click leaves the keys to the maps, as that on other choices does.
  setFocusPolicy(Qt::TabFocus);
  updateGeometry();
  update();
}

void PredictionList::setMessage(const QString& message) {
  lines_.clear();
  message_ = message;
  setAccessibleDescription(message);
  setToolTip({});
  unsetCursor();
  setFocusPolicy(Qt::NoFocus);
  update();
}

void PredictionList::describe() {
  if (lines_.empty()) return;
  QStringList spoken;
  for (int i = 0; i < shownLines(); ++i) {
    const Line& line = lines_[static_cast<std::size_t>(i)];
    spoken += line.name + u' ' + confidenceText(line.prediction);
  }
  if (isOnlyClass()) spoken += onlyClassText();
  setAccessibleDescription(spoken.join(QStringLiteral(", ")));
}

void PredictionList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  describe();
}

bool PredictionList::isOnlyClass() const {
  return !lines_.empty() && !lines_.front().prediction.probability;
}

QString PredictionList::onlyClassText() {
  return tr("The only class: a softmax over it says 100 % for every picture");
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
  for (int i = 0; i < shownLines(); ++i) {
    paintLine(painter, placeOf(i), lines_[static_cast<std::size_t>(i)]);
  }
  if (isOnlyClass()) {
    painter.setPen(mutedText(palette()));
    painter.drawText(rect().adjusted(rowMargin, placeOf(1).top(), -rowMargin, 0),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, onlyClassText());
  }
  if (!hasFocus()) return;
  painter.setPen(palette().color(QPalette::Highlight));
  painter.drawRect(
      placeOf(keyLine()).adjusted(-rowMargin / 2, -rowSpace / 2, rowMargin / 2, -rowSpace / 2));
}

void PredictionList::paintLine(QPainter& painter, const QRect& place, const Line& line) const {
  const QFontMetrics metrics = fontMetrics();
  const QString number = confidenceText(line.prediction);
  const int numberWidth = metrics.horizontalAdvance(number) + rowSpace;
  const QRect text(place.left(), place.top(), place.width(), metrics.height());
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(line.name, Qt::ElideRight, place.width() - numberWidth));
  painter.setPen(mutedText(palette()));
  painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, number);

  if (!line.prediction.probability) return;
  const QRectF track(place.left(), text.bottom() + 2, place.width(), barHeight);
  painter.fillRect(track, palette().color(QPalette::Mid));
  QRectF bar = track;
  bar.setWidth(track.width() * std::clamp(double(*line.prediction.probability), 0.0, 1.0));
  painter.fillRect(bar, palette().color(QPalette::Highlight));
}

}  // namespace softscope
