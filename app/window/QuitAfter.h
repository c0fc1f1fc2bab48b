#pragma once

#include <QtCore/QObject>

#include <string>
#include <vector>

namespace softscope {

/// Ends the application once something was painted for the first time, so that start-up can be
/// measured from outside.
class QuitAfter : public QObject {
 public:
  /// What there is to wait for, as the command line says it: `paint`, the window itself; `answer`,
  /// the heads' answer to the first query.
  static const std::vector<std::string>& steps();

  explicit QuitAfter(const std::string& step);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool waitsForAnswer_ = false;
};

}  // namespace softscope
