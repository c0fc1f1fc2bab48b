#include "widgets/controls/ClassChoice.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>

namespace softscope {
namespace {

QComboBox* classBox(QWidget* parent, const QString& name, const QString& tip) {
  auto* box = new QComboBox(parent);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  // A click must not take the focus: the arrow keys keep moving the query.
  box->setFocusPolicy(Qt::TabFocus);
  return box;
}

}  // namespace

ClassChoice::ClassChoice(QWidget* parent)
    : QWidget(parent),
      classes_(classBox(this, tr("Class"), tr("The class whose logit is differentiated")),
               tr("Predicted class")),
      others_(classBox(this, tr("Less"), tr("A class whose logit is subtracted")),
              tr("No other class")) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(classes_.box());
  line->addWidget(others_.box());
  connect(classes_.box(), &QComboBox::activated, this, &ClassChoice::choose);
  connect(others_.box(), &QComboBox::activated, this, &ClassChoice::choose);
  hide();
}

void ClassChoice::show(const std::shared_ptr<const Model>& model, const LogitRequest& logit) {
  setVisible(model != nullptr);
  if (!model) return;
  classes_.show(model, logit.classIndex);
  others_.show(model, logit.against);
  const bool isNamed = logit.classIndex.has_value();
  others_.box()->setEnabled(isNamed && others_.box()->count() > 1);
  others_.box()->setToolTip(isNamed ? tr("A class whose logit is subtracted")
                                    : tr("Choose a class first, from which another is subtracted"));
}

void ClassChoice::choose() {
  LogitRequest logit{.classIndex = ClassList::classInRow(classes_.box()->currentIndex())};
  if (logit.classIndex) logit.against = ClassList::classInRow(others_.box()->currentIndex());
  Q_EMIT chosen(logit);
}

}  // namespace softscope
