#pragma once

#include <QtCore/QBasicTimer>
#include <QtCore/QElapsedTimer>
#include <QtWidgets/QProgressBar>

namespace softscope {

/// A progress bar of which a third moves to and fro while the progress is not known, which is where
/// its range is from 0 to 0. Fusion fills the whole bar then, which looks like finished work.
class BusyBar : public QProgressBar {
  Q_OBJECT

 public:
  explicit BusyBar(QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void timerEvent(QTimerEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  bool isUnknown() const { return minimum() == maximum(); }

  QBasicTimer frames_;
  QElapsedTimer sinceBegin_;
};

}  // namespace softscope
