#include "widgets/pages/PicturePanels.h"

#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace) {
  const OpenedModel* opened = workspace.models().current();
  return std::make_shared<const CroppedPicture>(
      workspace.picture().image(), opened ? opened->region : PictureRegion{0, 0, 1, 1});
}

void connectZoom(HeadGrid& panels, Workspace& workspace) {
  QObject::connect(&panels, &HeadGrid::zoomed, &workspace.view(), &ViewChoice::zoom);
  QObject::connect(&panels, &HeadGrid::panned, &workspace.view(), &ViewChoice::pan);
}

void connectQuery(HeadGrid& panels, Workspace& workspace) {
  const auto at = [&workspace](const QPointF& place) {
    return queryInRegion(workspace.queries().extent(), place);
  };
  QObject::connect(&panels, &HeadGrid::pressed, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.queries().ask(at(place)); });
  QObject::connect(&panels, &HeadGrid::dragged, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.queries().drag(at(place)); });
  QObject::connect(&panels, &HeadGrid::pinned, &workspace,
                   [&workspace, at](const QPointF& place) { workspace.queries().pin(at(place)); });
  QObject::connect(&panels, &HeadGrid::stepped, &workspace.queries(), &AskedQueries::step);
}

}  // namespace softscope
