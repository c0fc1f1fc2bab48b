#pragma once

#include <QtCore/QObject>
#include <QtCore/QSocketNotifier>

#include <functional>

namespace softscope {

/// Makes the first SIGINT, SIGTERM or SIGHUP a call on the thread of the window, which can then
/// close as by its button: with an autosave, and without temporary files left. A second one ends
/// the program as without this. Ignored signals stay ignored. Only one at a time.
class EndingSignals : public QObject {
  Q_OBJECT

 public:
  /// `end` gets the signal's number. Without a socket for the purpose, signals stay as they are.
  explicit EndingSignals(std::function<void(int)> end);
  ~EndingSignals() override;

 private:
  int sockets_[2] = {-1, -1};
  QSocketNotifier notifier_{QSocketNotifier::Read};
};

}  // namespace softscope
