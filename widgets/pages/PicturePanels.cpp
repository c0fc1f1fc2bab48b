#include "widgets/pages/PicturePanels.h"

#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace) {
  const OpenedModel* opened = workspace.current();
  return std::make_shared<const CroppedPicture>(
      workspace.pictureImage(), opened ? opened->region : PictureRegion{0, 0, 1, 1});
}

void connectZoom(HeadGrid& panels, Workspace& workspace) {
  QObject::connect(&panels, &HeadGrid::zoomed, &workspace, &Workspace::zoom);
  QObject::connect(&panels, &HeadGrid::panned, &workspace, &Workspace::pan);
}

void connectQuery(HeadGrid& panels, Workspace& workspace) {
  const auto at = [&workspace](const QPointF& place) {
    return queryInRegion(workspace.extent(), place);
  };
  QObject::connect(&panels, &HeadGrid::pressed, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.setQuery(at(place)); });
  QObject::connect(&panels, &HeadGrid::dragged, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.dragQuery(at(place)); });
  QObject::connect(&panels, &HeadGrid::pinned, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.pin(at(place)); });
  QObject::connect(&panels, &HeadGrid::stepped, &workspace, &Workspace::stepQuery);
}

}  // namespace softscope
