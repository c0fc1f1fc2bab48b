#pragma once

#include <QtWidgets/QApplication>

namespace softscope {

/// The application, with a border that no exception crosses: what a slot, an event or a delivery of
/// the worker throws and nobody caught is told, and the session goes on.
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
