#pragma once

#include <QtWidgets/QStatusBar>

namespace softscope {

class ElidedLabel;
class ProgressStrip;
class Worker;

/// The line at the bottom of the window: what is under the pointer, messages in passing, and how
/// far the worker is.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(Worker& worker, QWidget* parent = nullptr);

  /// What is under the pointer; empty where that is nothing.
  void readOut(const QString& text);
  /// A message that stays for some seconds.
  void say(const QString& message);

 Q_SIGNALS:
  /// Whatever the worker does is no longer wanted.
  void cancelled();

 private:
  ElidedLabel* readout_;
  ProgressStrip* progress_;
};

}  // namespace softscope
