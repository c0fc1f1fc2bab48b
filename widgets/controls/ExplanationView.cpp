#include "widgets/controls/ExplanationView.h"

#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QResizeEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace softscope {
namespace {

constexpr int explanationMargin = 12;
constexpr int closeButton = 24;
constexpr int highest = 260;

}  // namespace

ExplanationView::ExplanationView(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel),
      scroll_(new QScrollArea(this)),
      close_(new QToolButton(this)) {
  setAccessibleName(tr("What this page shows"));
  setFrameShape(QFrame::StyledPanel);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setAccessibleName(accessibleName());
  scroll_->setWidget(text_);
  close_->setAutoRaise(true);
  close_->setAccessibleName(tr("Close the explanation"));
  setKeyTip(*close_, tr("Close"), "explain");
  close_->setFixedSize(closeButton, closeButton);
  close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  connect(close_, &QToolButton::clicked, this, &ExplanationView::closed);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(explanationMargin, explanationMargin / 2, explanationMargin / 2,
                           explanationMargin / 2);
  line->addWidget(scroll_, 1);
  line->addWidget(close_, 0, Qt::AlignTop);
}

void ExplanationView::setText(const QString& text) {
  text_->setText(text);
  scroll_->ensureVisible(0, 0);
  updateGeometry();
}

QString ExplanationView::text() const {
  return text_->text();
}

QSize ExplanationView::sizeHint() const {
  const QMargins margins = layout()->contentsMargins();
  const int side =
      margins.left() + margins.right() + layout()->spacing() + closeButton + 2 * frameWidth();
  const int room = std::max(100, (width() > 0 ? width() : 600) - side);
  const int needed = text_->heightForWidth(room) + explanationMargin + 2 * frameWidth() + 4;
  // In a low window most of the height is left to the page.
  const int most = window() ? std::min(highest, window()->height() / 4) : highest;
  return {300, std::min(needed, most)};
}

void ExplanationView::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  // The height depends on the width.
  if (event->oldSize().width() != event->size().width()) updateGeometry();
}

void ExplanationView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT closed();
    return;
  }
  QFrame::keyPressEvent(event);
}

void ExplanationView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  }
  QFrame::changeEvent(event);
}

}  // namespace softscope
