#pragma once

#include "core/query/QueryToken.h"
#include "widgets/pages/Page.h"
#include "widgets/views/HeadGrid.h"

#include <memory>

namespace softscope {

class Workspace;

/// What the model in front saw of the picture; all of it where no model is open.
std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace);

/// The wheel zooms all panels of the window, dragging with the middle or right button moves them.
void connectZoom(HeadGrid& panels, Workspace& workspace);

class HeadPanelView;

/// What a menu asked for at `place` of a panel's view is about.
PanelUnderPointer panelUnder(const HeadPanelView& view,
                             const std::shared_ptr<const CroppedPicture>& picture,
                             const PictureExtent& extent, const QPoint& globalPlace,
                             const QPointF& place);

/// Right clicks on panels become the page's menus.
void connectMenu(HeadGrid& panels, Page& page, Workspace& workspace);

/// A press or drag on a panel asks the query there, an arrow key the patch beside it, and a press
/// with Shift pins.
void connectQuery(HeadGrid& panels, Workspace& workspace);

}  // namespace softscope
