#include "widgets/controls/ClassList.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>

#include <utility>

namespace softscope {

ClassList::ClassList(QComboBox* box, QString open) : box_(box), open_(std::move(open)) {
  // Of a thousand classes, some have names as long as the window is wide.
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

}  // namespace softscope
