#include "widgets/pages/SaliencyPage.h"

#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

SaliencyPage::SaliencyPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Saliency"), parent), maps_(new HeadGrid(this)) {
  maps_->setAccessibleName(tr("Saliency"));
  maps_->setAccessibleDescription(
      tr("The norms of each patch's query and key. Arrow keys step the query one patch."));
  setContent(maps_);
  addSettings(saliencySettings, controls_);
  connectQuery(*maps_, workspace_);
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &SaliencyPage::readNorm);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
}

void SaliencyPage::takePicture() {
  seenPicture_ = seenPicture(workspace_);
}

void SaliencyPage::showNow() {
  const SaliencySettings& settings = workspace_.analysis().settings().of<SaliencySettings>();
  controls_.show(settings);
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!layer) return;
  const LayerSaliency saliency = computeSaliency({*layer}, settings).front();
  if (!saliency.obstacle.empty()) {
    showWords(tr("No saliency"), obstacleText({saliency.obstacle}));
    return;
  }
  std::vector<HeadPanel> panels = saliencyPanels(saliency, workspace_.view().settings());
  const std::optional<QueryMark> mark = workspace_.queries().mark();
  for (HeadPanel& panel : panels) {
    panel.visible = workspace_.view().visible();
    panel.query = mark;
  }
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(saliencyText(saliency), shortLayerName(*layer->inspection, layer->layer().name));
  maps_->setPanels(std::move(panels), seenPicture_);
}

void SaliencyPage::releaseResults() {
  maps_->clear();
}

std::optional<PageFigure> SaliencyPage::figure() const {
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!showsContent() || !layer) return std::nullopt;
  const SaliencySettings settings = workspace_.analysis().settings().of<SaliencySettings>();
  AnalysisCommand command{"saliency", {"--layer", layer->layer().name}};
  addOptions(command, saliencySettings, settings);
  if (settings.eachHead) command.options.insert(command.options.end(), {"--head", "all"});
  const std::vector<std::string> view = viewOptions(workspace_.view().settings());
  command.options.insert(command.options.end(), view.begin(), view.end());
  const auto saliencies = computeSaliency({*layer}, settings);
  PageFigure page = pageFigure(
      QStringLiteral("saliency"),
      saliencyFigure(saliencies, workspace_.picture().shared(), workspace_.view().settings()),
      {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.arrays = [saliencies] { return saliencyArrays(saliencies); };
  return page;
}

void SaliencyPage::readNorm(int panel, int row, int column) {
  const HeadPanel& shown = maps_->view(panel).panel();
  const float norm = shown.values.at(row, column);
  Q_EMIT readOut(
      tr("%1 (%2), patch (%3, %4): norm %5, scaled %6")
          .arg(shown.title, shown.note)
          .arg(row)
          .arg(column)
          .arg(valueText(norm), valueText(std::clamp(shown.range.fraction(norm), 0.0f, 1.0f))));
}

}  // namespace softscope
