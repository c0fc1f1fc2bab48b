#include "widgets/controls/EmptyState.h"

#include "widgets/controls/NameText.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {

EmptyState::EmptyState(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      advice_(new QLabel(this)),
      picture_(offer(tr("Open a picture"))),
      model_(offer(tr("Open a model"))),
      run_(offer(tr("Run again"))),
      own_(offer(tr("Show its picture"))),
      pair_(offer(tr("SOFT beside SOFT++"))) {
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.3);
  large.setWeight(QFont::DemiBold);
  title_->setFont(large);
  for (QLabel* label : {title_, advice_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
  }
  advice_->setForegroundRole(QPalette::PlaceholderText);

  auto* line = new QHBoxLayout;
  line->addStretch(1);
  for (QPushButton* button : {picture_, model_, pair_, run_, own_}) line->addWidget(button);
  line->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(8);
  column->addStretch(2);
  column->addWidget(title_);
  column->addWidget(advice_);
  column->addSpacing(8);
  column->addLayout(line);
  column->addStretch(3);
  connect(picture_, &QPushButton::clicked, this, &EmptyState::pictureWanted);
  connect(model_, &QPushButton::clicked, this, &EmptyState::modelWanted);
  connect(run_, &QPushButton::clicked, this, &EmptyState::runWanted);
  connect(pair_, &QPushButton::clicked, this, &EmptyState::pairWanted);
  connect(own_, &QPushButton::clicked, this, &EmptyState::ownPictureWanted);
}

QPushButton* EmptyState::offer(const QString& text) {
  auto* button = new QPushButton(text, this);
  button->setAccessibleName(text);
  const QSize natural = button->sizeHint();
  button->setMinimumSize(natural.width() + 20, natural.height() + 6);
  return button;
}

void EmptyState::setTexts(const QString& title, const QString& advice) {
  title_->setText(breakable(title));
  advice_->setText(breakable(advice));
}

void EmptyState::setOffers(bool picture, bool model, bool runAgain, bool ownPicture, bool pair) {
  picture_->setVisible(picture);
  model_->setVisible(model);
  run_->setVisible(runAgain);
  own_->setVisible(ownPicture);
  pair_->setVisible(pair);
}

QString EmptyState::title() const {
  return title_->text();
}

}  // namespace softscope
