#include "widgets/MechanismQuestion.h"

#include <QtGui/QPainter>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

constexpr int stripe = 4;

}  // namespace

MechanismQuestion::MechanismQuestion(QWidget* parent)
    : QFrame(parent), text_(new QLabel(this)), mechanisms_(new QComboBox(this)) {
  setAccessibleName(tr("Which mechanism was trained?"));
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  mechanisms_->setAccessibleName(tr("Mechanism that was trained"));
  auto* answer = new QPushButton(tr("Remember for this file"), this);
  answer->setAccessibleName(answer->text());
  auto* later = new QPushButton(tr("Not now"), this);
  later->setAccessibleName(later->text());
  auto* line = new QHBoxLayout;
  line->addWidget(mechanisms_);
  line->addWidget(answer);
  line->addWidget(later);
  line->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12 + stripe, 8, 8, 8);
  column->addWidget(text_);
  column->addLayout(line);
  connect(answer, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT answered(mechanisms_->currentText());
  });
  connect(later, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT dismissed();
  });
  hide();
}

void MechanismQuestion::ask(const QString& model, const QString& reason,
                            const QStringList& mechanisms) {
  text_->setText(tr("With which attention was %1 trained? %2").arg(model, reason));
  mechanisms_->clear();
  mechanisms_->addItems(mechanisms);
  show();
}

void MechanismQuestion::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QColor ground = palette().color(QPalette::Highlight);
  painter.fillRect(QRect(0, 0, stripe, height()), ground);
  ground.setAlpha(28);
  painter.fillRect(rect(), ground);
}

}  // namespace softscope
