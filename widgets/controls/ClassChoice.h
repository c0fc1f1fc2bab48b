#pragma once

#include "core/attention/GradientProductMap.h"
#include "widgets/controls/ClassList.h"

#include <QtWidgets/QWidget>

namespace softscope {

/// The choice of the class whose logit is differentiated, and of another whose logit is subtracted.
/// Hidden while no gradient is shown.
class ClassChoice : public QWidget {
  Q_OBJECT

 public:
  explicit ClassChoice(QWidget* parent = nullptr);

  /// Lists the classes of a model and shows what was asked for; hides the choice without a model.
  void show(const std::shared_ptr<const Model>& model, const LogitRequest& logit);
  QComboBox* classes() const { return classes_.box(); }
  QComboBox* others() const { return others_.box(); }

 Q_SIGNALS:
  void chosen(const softscope::LogitRequest& logit);

 private:
  void choose();

  ClassList classes_;
  ClassList others_;
};

}  // namespace softscope
