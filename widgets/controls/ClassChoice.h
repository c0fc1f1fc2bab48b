#pragma once

#include "core/attention/GradientProductMap.h"
#include "core/model/Model.h"

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <memory>
#include <optional>

class QComboBox;

namespace softscope {

/// A list of a model's classes whose first entry, `open`, stands for none of them.
class ClassList {
 public:
  ClassList(QComboBox* box, QString open);

  /// Lists the classes of a model, if they are not listed yet, and selects one; nothing for `open`.
  void show(const std::shared_ptr<const Model>& model, std::optional<int> classIndex);
  QComboBox* box() const { return box_; }
  /// Returns the class in a row of the list; nothing for `open`.
  static std::optional<int> classInRow(int row);

 private:
  QComboBox* box_;
  QString open_;
  /// The model whose classes the list contains.
  std::weak_ptr<const Model> listed_;
};

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
