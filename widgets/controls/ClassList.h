#pragma once

#include "core/model/Model.h"

#include <QtCore/QString>

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

}  // namespace softscope
