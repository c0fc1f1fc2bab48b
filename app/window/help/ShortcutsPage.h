#pragma once

class QMainWindow;

namespace softscope {

/// Opens a page that lists what every key and every gesture does. The keys are read from the
/// window's menus.
void showShortcutsPage(QMainWindow& window);

}  // namespace softscope
