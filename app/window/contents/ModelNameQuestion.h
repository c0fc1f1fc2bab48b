#pragma once

class QWidget;

namespace softscope {

class OpenModels;

/// Asks what a model is to be called from now on; by its file again where nothing is said.
void askForModelName(QWidget& window, OpenModels& models, int index);

}  // namespace softscope
