#pragma once

#include <QtCore/QObject>

#include <string>
#include <vector>

namespace softscope {

class MainWindow;

/// Prints the name of a step and ends the application once something has been painted for the first
/// time, so that start-up can be measured from outside.
class QuitAfter : public QObject {
 public:
  /// Returns the events to wait for, as named on the command line: `paint`, the window itself;
  /// `answer`, the heads' answer to the first query.
  static const std::vector<std::string>& steps();

  /// While waiting for an answer, also ends with exit code 1 and a line on stderr if none can come:
  /// no picture, no model, or a run that failed.
  QuitAfter(const std::string& step, MainWindow& window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void endWithoutAnswer();

  MainWindow& window_;
  bool waitsForAnswer_ = false;
};

}  // namespace softscope
