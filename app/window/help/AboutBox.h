#pragma once

class QWidget;

namespace softscope {

/// Opens the About box over `window`.
void showAboutBox(QWidget& window);

}  // namespace softscope
