#pragma once

#include <QtWidgets/QStatusBar>

namespace softscope {

class ElidedLabel;
class ProgressStrip;
class Worker;

/// The line at the bottom of the window: what is under the pointer, passing messages, and the
/// worker's progress.
class StatusLine : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusLine(Worker& worker, QWidget* parent = nullptr);

  /// Shows what is under the pointer; empty if there is nothing.
  void readOut(const QString& text);
  /// Shows a message for some seconds.
  void say(const QString& message);

 Q_SIGNALS:
  /// The user asked to cancel the worker's job.
  void cancelled();

 private:
  ElidedLabel* readout_;
  ProgressStrip* progress_;
};

}  // namespace softscope
