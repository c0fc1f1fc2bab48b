#pragma once

#include "core/query/QueryToken.h"
#include "widgets/pages/Page.h"
#include "widgets/views/HeadGrid.h"

#include <memory>

namespace softscope {

class Workspace;

/// Returns the part of the picture that the current model saw; the whole picture if no model is
/// open.
std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace);

/// Makes the wheel zoom all panels of the window, and dragging with the middle or right button move
/// them.
void connectZoom(HeadGrid& panels, Workspace& workspace);

class HeadPanelView;

/// Returns the value of a panel at a patch, for the status line: `rollout, patch (3, 7): 0.0123`.
QString patchText(const HeadPanel& panel, int row, int column);

/// Returns the panel and the place that a menu requested at `place` of a panel's view is about.
PanelUnderPointer panelUnder(const HeadPanelView& view,
                             const std::shared_ptr<const CroppedPicture>& picture,
                             const PictureExtent& extent, const QPoint& globalPlace,
                             const QPointF& place);

/// Makes right clicks on panels open the page's menus.
void connectMenu(HeadGrid& panels, Page& page, Workspace& workspace);

/// Makes a press or drag on a panel ask the query there, an arrow key ask the neighbouring patch,
/// and a press with Shift pin a query.
void connectQuery(HeadGrid& panels, Workspace& workspace);

}  // namespace softscope
