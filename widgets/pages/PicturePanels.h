#pragma once

#include "widgets/views/HeadGrid.h"

#include <memory>

namespace softscope {

class Workspace;

/// What the model in front saw of the picture; all of it where no model is open.
std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace);

/// The wheel zooms all panels of the window, dragging with the middle or right button moves them.
void connectZoom(HeadGrid& panels, Workspace& workspace);

/// A press or drag on a panel asks the query there, an arrow key the patch beside it, and a press
/// with Shift pins.
void connectQuery(HeadGrid& panels, Workspace& workspace);

}  // namespace softscope
