#pragma once

#include <QtCore/QString>
#include <QtCore/QUrl>
#include <QtWidgets/QStatusBar>

class QAction;
class QToolButton;

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
  /// Offers to open a file that was just written, or its folder, until something else is said.
  void offerFile(const QString& path);
  /// Offers an action by its name until something else is said.
  void offerAction(QAction& action);

 Q_SIGNALS:
  /// The user asked to cancel the worker's job.
  void cancelled();
  /// The user asked to open a file or a folder with the desktop's program.
  void openWanted(const QUrl& place);

 private:
  QToolButton* addOffer(const QString& text);

  ElidedLabel* readout_;
  ProgressStrip* progress_;
  QToolButton* openFile_;
  QToolButton* openFolder_;
  QToolButton* act_;
  QString file_;
};

}  // namespace softscope
