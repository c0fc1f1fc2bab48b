#pragma once

#include <QtCore/QObject>

namespace softscope {

class ActionShortcuts;

/// Appends an action's present keys to every tool tip that names the action (see setKeyTip()).
class ShortcutTips : public QObject {
 public:
  explicit ShortcutTips(const ActionShortcuts& shortcuts, QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const ActionShortcuts& shortcuts_;
};

}  // namespace softscope
