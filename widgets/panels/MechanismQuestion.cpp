#include "widgets/panels/MechanismQuestion.h"

#include "core/attention/Mechanism.h"
#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/NameText.h"

#include <QtGui/QPainter>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

constexpr int questionStripe = 4;
constexpr double sureEnough = 0.75;

}  // namespace

OpenQuestions openQuestions(const ModelRequest& request, const ModelSummary& summary) {
  OpenQuestions open;
  if (!request.attention && summary.mechanismConfidence < sureEnough) {
    open.mechanisms = summary.alternatives;
    // The exact kernel is offered only to be looked at; no model was trained with it.
    std::erase_if(open.mechanisms,
                  [](const std::string& name) { return mechanismNamed(name).neverTrained; });
  }
  if (!request.heads && summary.headsConfidence < sureEnough) {
    open.heads = summary.headsAlternatives;
  }
  if (open.mechanisms.size() < 2) open.mechanisms.clear();
  if (open.heads.size() < 2) open.heads.clear();
  return open;
}

MechanismQuestion::MechanismQuestion(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      reason_(new QLabel(this)),
      mechanisms_(new QComboBox(this)),
      heads_(new QComboBox(this)) {
  setAccessibleName(tr("What was trained?"));
  for (QLabel* label : {text_, reason_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  QFont prominent = text_->font();
  prominent.setWeight(QFont::DemiBold);
  text_->setFont(prominent);
  QFont small = reason_->font();
  small.setPointSizeF(0.92 * small.pointSizeF());
  reason_->setFont(small);
  mechanisms_->setAccessibleName(tr("Mechanism that was trained"));
  heads_->setAccessibleName(tr("Number of heads that were trained"));
  auto* answer = new QPushButton(tr("Remember for this file"), this);
  answer->setAccessibleName(answer->text());
  auto* later = new QPushButton(tr("Not now"), this);
  later->setAccessibleName(later->text());
  auto* line = new FlowLayout(nullptr);
  line->addWidget(mechanisms_);
  line->addWidget(heads_);
  line->addWidget(answer);
  line->addWidget(later);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12 + questionStripe, 8, 8, 8);
  column->setSpacing(4);
  column->addWidget(text_);
  column->addWidget(reason_);
  column->addLayout(line);
  connect(answer, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT answered(mechanisms_->currentData().toString(), heads_->currentData().toInt());
  });
  connect(later, &QPushButton::clicked, this, [this] {
    hide();
    Q_EMIT dismissed();
  });
  hide();
}

void MechanismQuestion::ask(const QString& model, const QString& reason,
                            const OpenQuestions& open) {
  QString question = tr("With which attention, and how many heads, was %1 trained?");
  if (open.heads.empty()) question = tr("With which attention was %1 trained?");
  if (open.mechanisms.empty()) question = tr("With how many heads was %1 trained?");
  text_->setToolTip(model);
  question = breakable(question.arg(shortened(model)));
  const QString why = breakable(reason);
  const bool same = question == text_->text() && why == reason_->text() && open == asked_;
  if (same && !isHidden()) return;
  asked_ = open;
  text_->setText(question);
  reason_->setText(why);
  mechanisms_->clear();
  for (const std::string& name : open.mechanisms) {
    mechanisms_->addItem(QString::fromStdString(titleOfMechanism(name)),
                         QString::fromStdString(name));
  }
  mechanisms_->setVisible(!open.mechanisms.empty());
  heads_->clear();
  std::vector<int> ascending = open.heads;
  std::sort(ascending.begin(), ascending.end());
  for (const int heads : ascending) {
    heads_->addItem(heads == 1 ? tr("1 head") : tr("%1 heads").arg(heads), heads);
  }
  if (!open.heads.empty()) heads_->setCurrentIndex(heads_->findData(open.heads.front()));
  heads_->setVisible(!open.heads.empty());
  show();
}

void MechanismQuestion::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QColor ground = palette().color(QPalette::Highlight);
  painter.fillRect(QRect(0, 0, questionStripe, height()), ground);
  ground.setAlpha(28);
  painter.fillRect(rect(), ground);
}

}  // namespace softscope
