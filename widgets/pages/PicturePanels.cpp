#include "widgets/pages/PicturePanels.h"

#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <utility>

namespace softscope {

std::shared_ptr<const CroppedPicture> seenPicture(const Workspace& workspace) {
  const OpenedModel* opened = workspace.models().current();
  return std::make_shared<const CroppedPicture>(
      workspace.picture().image(), opened ? opened->region : PictureRegion{0, 0, 1, 1});
}

QString patchText(const HeadPanel& panel, int row, int column) {
  return QStringLiteral("%1, patch (%2, %3): %4")
      .arg(panel.title)
      .arg(row)
      .arg(column)
      .arg(valueText(panel.values.at(row, column)));
}

PanelUnderPointer panelUnder(const HeadPanelView& view,
                             const std::shared_ptr<const CroppedPicture>& picture,
                             const PictureExtent& extent, const QPoint& globalPlace,
                             const QPointF& place) {
  const HeadPanel& panel = view.panel();
  PanelUnderPointer under{globalPlace, panel.title, {}, {}, -1, nullptr};
  const std::optional<Patch> cell = view.cellAt(place);
  if (cell && panel.colors.size() == 0 && !panel.values.isOutside(cell->row, cell->column)) {
    under.value = QString::number(panel.values.at(cell->row, cell->column), 'g', 9);
  }
  if (const auto asked = view.askedAt(place)) under.place = queryInRegion(extent, *asked);
  PanelFigure figure;
  FigureBlock block;
  block.cells.push_back({panel, picture, picture ? picture->aspect() : 1, {}});
  figure.blocks.push_back(std::move(block));
  under.figure = std::make_shared<const PanelFigure>(std::move(figure));
  return under;
}

void connectMenu(HeadGrid& panels, Page& page, Workspace& workspace) {
  QObject::connect(
      &panels, &HeadGrid::menuWanted, &page,
      [&panels, &page, &workspace](int index, const QPoint& globalPlace, const QPointF& place) {
        const HeadPanelView& view = panels.view(index);
        Q_EMIT page.panelMenuWanted(
            panelUnder(view, view.picture(), workspace.queries().extent(), globalPlace, place));
      });
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
