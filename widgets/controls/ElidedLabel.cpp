#include "widgets/controls/ElidedLabel.h"

#include "widgets/controls/Theme.h"
#include "widgets/paint/FittedText.h"

#include <QtCore/QEvent>
#include <QtGui/QPainter>

namespace softscope {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text) {
  if (text == text_) return;
  text_ = text;
  setAccessibleName(text);
  updateGeometry();
  showWholeIfShortened();
  update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
  mode_ = mode;
  update();
}

void ElidedLabel::setBeside(const QStringList& before, const QStringList& after) {
  if (before == before_ && after == after_) return;
  before_ = before;
  after_ = after;
  update();
}

QString ElidedLabel::shownText() const {
  const int width = contentsRect().width();
  const QStringList all = before_ + QStringList{text_} + after_;
  if (all.size() > 1) return namesApart(all, QFontMetricsF(shownFont()), width)[before_.size()];
  return QFontMetrics(shownFont()).elidedText(text_, mode_, width);
}

void ElidedLabel::setMuted(bool muted) {
  muted_ = muted;
  update();
}

void ElidedLabel::setScale(double scale, QFont::Weight weight) {
  scale_ = scale;
  weight_ = weight;
  updateGeometry();
  update();
}

QFont ElidedLabel::shownFont() const {
  QFont shown = font();
  if (shown.pointSizeF() > 0) shown.setPointSizeF(shown.pointSizeF() * scale_);
  shown.setWeight(weight_);
  return shown;
}

QSize ElidedLabel::sizeHint() const {
  const QFontMetrics metrics(shownFont());
  const QMargins around = contentsMargins();
  return {metrics.horizontalAdvance(text_) + 2 + around.left() + around.right(),
          metrics.height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const {
  return {24, sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(shownFont());
  painter.setPen(muted_ ? mutedText(palette()) : palette().color(foregroundRole()));
  painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, shownText());
}

void ElidedLabel::resizeEvent(QResizeEvent*) {
  showWholeIfShortened();
}

void ElidedLabel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateGeometry();
  QWidget::changeEvent(event);
}

void ElidedLabel::showWholeIfShortened() {
  setToolTip(sizeHint().width() > width() ? text_ : QString());
}

}  // namespace softscope
