#pragma once

#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QMenu>

namespace softscope {

/// A menu of options that can be ticked; it stays open while the user ticks several.
class ChoiceMenu : public QMenu {
 public:
  using QMenu::QMenu;

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!tick(actionAt(event->pos()))) QMenu::mouseReleaseEvent(event);
  }
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Space || !tick(activeAction())) QMenu::keyPressEvent(event);
  }

 private:
  static bool tick(QAction* action) {
    if (!action || !action->isCheckable() || !action->isEnabled()) return false;
    action->trigger();
    return true;
  }
};

}  // namespace softscope
