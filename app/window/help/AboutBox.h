#pragma once

class QWidget;

namespace softscope {

/// Opens the box that says what the program is, over `window`.
void showAboutBox(QWidget& window);

}  // namespace softscope
