#pragma once

class QWidget;

namespace softscope {

class ActionShortcuts;

/// Opens the About box over `window`.
void showAboutBox(QWidget& window);

/// Opens a page that lists all gestures and all keys as they are at that moment.
void showShortcutsPage(QWidget& window, const ActionShortcuts& shortcuts);

}  // namespace softscope
