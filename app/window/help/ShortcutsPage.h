#pragma once

class QWidget;

namespace softscope {

class ActionShortcuts;

/// Opens a page that lists what every gesture does and every key, as it is at that moment.
void showShortcutsPage(QWidget& window, const ActionShortcuts& shortcuts);

}  // namespace softscope
