#include "widgets/controls/FoldedText.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace softscope {
namespace {

constexpr int fewestLines = 2;

}  // namespace

FoldedText::FoldedText(QWidget* parent)
    : QWidget(parent), label_(new QLabel(this)), unfold_(new QToolButton(this)) {
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::PlainText);
  label_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label_->setForegroundRole(QPalette::PlaceholderText);
  unfold_->setCheckable(true);
  unfold_->setAutoRaise(true);
  unfold_->setFocusPolicy(Qt::TabFocus);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(14, 2, 14, 2);
  row->setSpacing(6);
  row->addWidget(label_, 1);
  row->addWidget(unfold_, 0, Qt::AlignTop);
  connect(unfold_, &QToolButton::toggled, this, &FoldedText::fold);
  fold();
}

void FoldedText::setText(const QString& text) {
  if (text == label_->text()) return;
  label_->setText(text);
  fold();
}

QString FoldedText::text() const {
  return label_->text();
}

void FoldedText::setFoldedHeight(int height) {
  if (height == foldedHeight_) return;
  foldedHeight_ = height;
  fold();
}

bool FoldedText::isFolded() const {
  return !unfold_->isHidden() && !unfold_->isChecked();
}

void FoldedText::fold() {
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right();
  const int line = label_->fontMetrics().lineSpacing();
  const int most = std::max(fewestLines, foldedHeight_ / line) * line;
  const bool fits = label_->heightForWidth(room) <= most;
  unfold_->setHidden(fits);
  const bool isOpen = unfold_->isChecked();
  unfold_->setText(isOpen ? tr("Less") : tr("More"));
  unfold_->setAccessibleName(isOpen ? tr("Show less of the text above")
                                    : tr("Show the whole text above"));
  label_->setMaximumHeight(fits || isOpen ? QWIDGETSIZE_MAX : most);
  label_->setToolTip(isFolded() ? label_->text() : QString());
}

void FoldedText::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fold();
}

void FoldedText::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fold();
}

}  // namespace softscope
