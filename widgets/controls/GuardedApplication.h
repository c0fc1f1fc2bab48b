#pragma once

#include <QtWidgets/QApplication>

namespace softscope {

/// The application, with two borders. No exception crosses the first: what a slot, an event or a
/// delivery of the worker throws and nobody caught is told, and the session goes on. No name from a
/// file crosses the second: labels, and so tooltips, messages and questions, show letter for letter
/// what they are given, unless they were made for rich text.
class GuardedApplication : public QApplication {
  Q_OBJECT

 public:
  /// Numbers are English, as all words are.
  GuardedApplication(int& argumentCount, char** arguments);

  bool notify(QObject* receiver, QEvent* event) override;

 Q_SIGNALS:
  void failed(const QString& message);
};

}  // namespace softscope
