#pragma once

class QWidget;

namespace softscope {

class OpenModels;

/// Asks for a model's new name; an empty answer names it after its file again.
void askForModelName(QWidget& window, OpenModels& models, int index);

}  // namespace softscope
