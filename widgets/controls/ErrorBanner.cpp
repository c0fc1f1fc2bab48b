#include "widgets/controls/ErrorBanner.h"

#include "core/text/Words.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

constexpr QRgb alarm = 0xffd0453e;
constexpr int bannerStripe = 4;
constexpr qsizetype mostDetails = 20'000;

/// Names in an unknown file may contain any characters.
QString oneLine(const QString& text) {
  return QString::fromStdString(printableText(text.toStdString()));
}

}  // namespace

ErrorBanner::ErrorBanner(QWidget* parent)
    : QFrame(parent),
      message_(new QLabel(this)),
      offer_(new QPushButton(this)),
      more_(new QPushButton(tr("Details"), this)),
      close_(new QToolButton(this)),
      details_(new QPlainTextEdit(this)) {
  setAccessibleName(tr("Error"));
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setTextFormat(Qt::PlainText);
  more_->setCheckable(true);
  more_->setAccessibleName(tr("Details of the error"));
  close_->setAutoRaise(true);
  close_->setAccessibleName(tr("Dismiss the error"));
  setKeyTip(*close_, tr("Dismiss"), "cancel");
  close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  details_->setReadOnly(true);
  details_->setAccessibleName(tr("Details of the error"));
  details_->setMaximumHeight(140);
  details_->hide();

  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(message_, 1);
  line->addWidget(offer_, 0, Qt::AlignTop);
  line->addWidget(more_, 0, Qt::AlignTop);
  line->addWidget(close_, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12 + bannerStripe, 8, 8, 8);
  column->addLayout(line);
  column->addWidget(details_);
  offer_->setAccessibleName(tr("What can be done about it"));
  offer_->hide();
  connect(offer_, &QPushButton::clicked, this, [this] {
    dismiss();
    Q_EMIT offerTaken();
  });
  connect(more_, &QPushButton::toggled, details_, &QWidget::setVisible);
  connect(close_, &QToolButton::clicked, this, &ErrorBanner::dismiss);
  if (parent) parent->installEventFilter(this);
  hide();
}

QString ErrorBanner::message() const {
  return message_->text();
}

void ErrorBanner::showError(const QString& error, const QString& details) {
  const QString message = oneLine(error);
  const bool isMore = isVisible() && !isPast_;
  QString everything = isMore ? details_->toPlainText() + QStringLiteral("\n\n") : QString();
  everything += details.isEmpty() ? message : details.left(mostDetails);
  if (!isMore) messages_.clear();
  // An offer stays beside the message that it is about.
  const bool isBehind = isMore && !offer_->isHidden();
  if (!isBehind || message != messages_.back()) {
    messages_.removeAll(message);
    messages_.insert(isBehind ? 0 : messages_.size(), message);
  }
  isPast_ = !isBusy_;

  const qsizetype before = messages_.size() - 1;
  const QString& front = messages_.back();
  message_->setText(before == 0 ? front
                                : tr("%1 (and %2 more)").arg(front, QString::number(before)));
  details_->setPlainText(everything.right(mostDetails));
  more_->setVisible(before > 0 || (!details.isEmpty() && details.trimmed() != message));
  if (!isMore) {
    more_->setChecked(false);
    offer_->hide();
  }
  setAccessibleDescription(message_->text());
  show();
  place();
  raise();
}

void ErrorBanner::showOffer(const QString& message, const QString& details, const QString& offer) {
  // An earlier offer gives way.
  offer_->hide();
  showError(message, details);
  offer_->setText(onButton(offer));
  offer_->setAccessibleName(offer);
  offer_->show();
  place();
}

void ErrorBanner::dismiss() {
  offer_->hide();
  hide();
}

void ErrorBanner::setBusy(bool busy) {
  isBusy_ = busy;
  if (!busy) isPast_ = true;
}

void ErrorBanner::noteSuccess() {
  if (isVisible() && isPast_ && offer_->isHidden()) dismiss();
}

void ErrorBanner::place() {
  if (!parentWidget()) return;
  const int width = parentWidget()->width();
  const int height = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width)
                                                   : layout()->totalSizeHint().height();
  const int fitting = std::min(height, parentWidget()->height());
  setGeometry(0, parentWidget()->height() - fitting, width, fitting);
}

bool ErrorBanner::event(QEvent* event) {
  const bool handled = QFrame::event(event);
  // The details were opened, or the letters have grown.
  if (event->type() == QEvent::LayoutRequest) place();
  return handled;
}

bool ErrorBanner::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) place();
  return QFrame::eventFilter(watched, event);
}

void ErrorBanner::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  }
  QFrame::changeEvent(event);
}

void ErrorBanner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Window));
  QColor ground(alarm);
  ground.setAlpha(36);
  painter.fillRect(rect(), ground);
  painter.fillRect(QRect(0, 0, bannerStripe, height()), QColor(alarm));
}

}  // namespace softscope
