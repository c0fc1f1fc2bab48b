#pragma once

#include <QtWidgets/QApplication>

namespace softscope {

/// The application, with two safeguards. First, no exception ends the program: an exception that a
/// slot, an event handler or a delivery of the worker throws and nobody catches is reported by
/// failed(), and the session goes on. Second, no name from a file is taken for markup: labels, and
/// so tool tips, messages and questions, show their text literally unless they were made for rich
/// text.
class GuardedApplication : public QApplication {
  Q_OBJECT

 public:
  /// Makes the application, which writes numbers in the English format to match its texts.
  GuardedApplication(int& argumentCount, char** arguments);

  bool notify(QObject* receiver, QEvent* event) override;

 Q_SIGNALS:
  void failed(const QString& message);
};

}  // namespace softscope
