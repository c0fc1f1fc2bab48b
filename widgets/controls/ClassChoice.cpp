#include "widgets/controls/ClassChoice.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>

#include <utility>

namespace softscope {

ClassList::ClassList(QComboBox* box, QString open) : box_(box), open_(std::move(open)) {
  // Some of a thousand classes have names as long as the window is wide.
  box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box_->setMinimumContentsLength(14);
}

void ClassList::show(const std::shared_ptr<const Model>& model, std::optional<int> classIndex) {
  const QSignalBlocker quiet(box_);
  if (listed_.lock() != model) {
    listed_ = model;
    box_->clear();
    box_->addItem(open_);
    const ModelSummary& summary = model->summary();
    for (int i = 0; i < summary.classes; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const bool named = index < summary.classNames.size() && !summary.classNames[index].empty();
      box_->addItem(named ? QString::fromStdString(summary.classNames[index])
                          : QCoreApplication::translate("ClassList", "Class %1").arg(i));
    }
  }
  box_->setEnabled(box_->count() > 1);
  const int row = classIndex ? *classIndex + 1 : 0;
  box_->setCurrentIndex(row < box_->count() ? row : -1);
}

std::optional<int> ClassList::classInRow(int row) {
  return row > 0 ? std::optional(row - 1) : std::nullopt;
}

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
