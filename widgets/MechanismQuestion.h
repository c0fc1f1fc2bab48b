#pragma once

#include <QtWidgets/QFrame>

class QComboBox;
class QLabel;

namespace softscope {

/// Asks with which of several mechanisms a model was trained, where its weights cannot tell. Never
/// in the way: the likeliest is shown meanwhile.
class MechanismQuestion : public QFrame {
  Q_OBJECT

 public:
  explicit MechanismQuestion(QWidget* parent = nullptr);

  /// `mechanisms` has the likeliest first; `reason` says why that one is shown.
  void ask(const QString& model, const QString& reason, const QStringList& mechanisms);

 Q_SIGNALS:
  void answered(const QString& mechanism);
  /// The user would rather not say.
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
  QComboBox* mechanisms_;
};

}  // namespace softscope
