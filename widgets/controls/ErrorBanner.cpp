#include "widgets/controls/ErrorBanner.h"

#include "core/text/Words.h"
#include "widgets/controls/KeyTip.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/Theme.h"

#include <QtCore/QEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

constexpr QRgb alarm = 0xffd0453e;
constexpr int bannerStripe = 4;
constexpr int mostMessages = 3;
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
  hide();
}

QString ErrorBanner::message() const {
  return message_->text();
}

void ErrorBanner::showError(const QString& error, const QString& details) {
  const QString message = oneLine(error);
  QStringList messages;
  QStringList everything;
  if (isVisible()) {
    messages = message_->text().split(QLatin1Char('\n'));
    everything += details_->toPlainText();
  }
  messages.removeAll(message);
  messages += message;
  while (messages.size() > mostMessages) messages.removeFirst();
  everything += details.isEmpty() ? message : details.left(mostDetails);

  message_->setText(messages.join(QLatin1Char('\n')));
  details_->setPlainText(everything.join(QStringLiteral("\n\n")));
  more_->setVisible(more_->isVisible() || (!details.isEmpty() && details.trimmed() != message));
  if (!isVisible()) more_->setChecked(false);
  setAccessibleDescription(message_->text());
  show();
}

void ErrorBanner::showOffer(const QString& message, const QString& details, const QString& offer) {
  showError(message, details);
  offer_->setText(onButton(offer));
  offer_->setAccessibleName(offer);
  offer_->show();
}

void ErrorBanner::dismiss() {
  offer_->hide();
  hide();
}

void ErrorBanner::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    close_->setIcon(themedIcon(QStringLiteral("close"), palette()));
  }
  QFrame::changeEvent(event);
}

void ErrorBanner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QColor ground(alarm);
  ground.setAlpha(36);
  painter.fillRect(rect(), ground);
  painter.fillRect(QRect(0, 0, bannerStripe, height()), QColor(alarm));
}

}  // namespace softscope
