#pragma once

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

class QPushButton;

namespace softscope {

class BusyBar;
class ElidedLabel;

/// Shows what is being computed and how far it is, with a button to cancel it. Appears only if the
/// work takes long enough to be noticed.
class ProgressStrip : public QWidget {
  Q_OBJECT

 public:
  explicit ProgressStrip(QWidget* parent = nullptr);

  void setBusy(bool busy);
  void setProgress(const QString& what, double fraction);

 Q_SIGNALS:
  void cancelled();

 private:
  ElidedLabel* what_;
  BusyBar* bar_;
  QPushButton* cancel_;
  QTimer patience_;
};

}  // namespace softscope
