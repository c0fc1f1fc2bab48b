#pragma once

#include <QtCore/QObject>

#include <string>
#include <vector>

namespace softscope {

class MainWindow;

/// Ends the application once something was painted for the first time, so that start-up can be
/// measured from outside.
class QuitAfter : public QObject {
 public:
  /// What there is to wait for, as the command line says it: `paint`, the window itself; `answer`,
  /// the heads' answer to the first query.
  static const std::vector<std::string>& steps();

  /// Waiting for an answer it also ends, with exit code 1 and a line on stderr, where none can
  /// come: no picture, no model, or a run that failed.
  QuitAfter(const std::string& step, MainWindow& window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void endWithoutAnswer();

  MainWindow& window_;
  bool waitsForAnswer_ = false;
};

}  // namespace softscope
