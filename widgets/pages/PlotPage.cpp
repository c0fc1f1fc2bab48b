#include "widgets/pages/PlotPage.h"

#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

PlotPage::PlotPage(Workspace& workspace, const QString& name, QWidget* parent)
    : AnalysisPage(workspace, name, parent), board_(new PlotBoard(this)) {
  setContent(board_);
  connect(board_, &PlotBoard::hovered, this, &Page::readOut);
  connect(board_, &PlotBoard::left, this, [this] { Q_EMIT readOut({}); });
  connect(board_, &PlotBoard::pointChosen, this, &PlotPage::goTo);
}

void PlotPage::goTo(int plot, int curve, int index) {
  const PlotCurve& chosen = board_->plot(plot).plot().curves[static_cast<std::size_t>(curve)];
  const PlotPlace* found = placeOf(chosen, static_cast<std::size_t>(index));
  if (!found) return;
  // A copy, because the changes below replace the plots.
  const PlotPlace place = *found;
  const std::vector<AnalysedLayer> layers = scopeLayers();
  const auto layer = std::ranges::find_if(layers, [&](const AnalysedLayer& of) {
    return of.model == place.model && of.layer().name == place.layer;
  });
  if (layer == layers.end()) return;
  const OpenedModel* model = openedModelOf(workspace_.models(), *layer);
  if (!model) return;
  workspace_.models().setCurrent(static_cast<int>(model - workspace_.models().all().data()));
  workspace_.layers().choose(place.layer);
  workspace_.view().setOnlyHead(place.head);
  workspace_.setPage(QStringLiteral("heads"));
}

void PlotPage::showPlots(const std::vector<Plot>& plots, const QString& about) {
  board_->setPlots(plots);
  showContent(about);
}

void PlotPage::showWhole() {
  board_->showWhole();
}

bool PlotPage::showsPlots() const {
  return showsContent() && board_->plotCount() > 0;
}

}  // namespace softscope
