#include "widgets/pages/ReachPage.h"

#include "core/query/QueryToken.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <utility>

namespace softscope {

ReachPage::ReachPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Reach"), parent),
      maps_(new HeadGrid(this)),
      answers_(workspace.worker(), [this] { showNow(); }) {
  maps_->setAccessibleName(tr("Reach"));
  maps_->setAccessibleDescription(
      tr("Which pixels of the picture, or which tokens, reach the query's token. Arrow keys step "
         "the query one patch."));
  setContent(maps_);
  addSettings(reachSettings, controls_);
  connectQuery(*maps_, workspace_);
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &ReachPage::readValue);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
}

void ReachPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
}

const ReachPage::Answer* ReachPage::computed(const AnalysedLayer& layer,
                                             const ReachSettings& settings) {
  const OpenedModel& opened = *workspace_.models().current();
  const AskedQueries& queries = workspace_.queries();
  PictureQuery query = queries.query();
  if (!queries.asksPrefixToken()) query.prefixToken.reset();
  // Every place on a patch asks for the same.
  if (const auto grid = chosenGrid(layer.attention(), Direction::Rows)) {
    const PictureExtent& extent = queries.extent();
    const std::optional<int> prefixToken = query.prefixToken;
    query = queryAt(*grid, extent, patchAt(*grid, extent, query));
    query.prefixToken = prefixToken;
  }
  return answers_.get(
      {{layer}, settings, query}, tr("Differentiating"),
      [layer, settings, place = withinSeen(queries.extent(), query),
       measurer = workspace_.engine().measureReach, model = opened.model,
       input = inputOf(opened, workspace_.picture().shared())](const Progress& progress) {
        Answer answer;
        answer.obstacle = obstacleOf([&] {
          answer.reaches = computeReach(
              {layer}, *model, input(),
              {.layers = {}, .x = place.x, .y = place.y, .prefixToken = place.prefixToken},
              settings, measurer, progress);
        });
        if (answer.obstacle.empty()) answer.obstacle = answer.reaches.front().obstacle;
        return answer;
      });
}

void ReachPage::showNow() {
  const ReachSettings settings = workspace_.analysis().settings().of<ReachSettings>();
  controls_.show(settings);
  enableFor(*controls_.at("directions"),
            settings.of == ReachGradient::Jacobian
                ? QString()
                : tr("The gradient of the sum is computed once, without directions"));
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!layer) {
    shown_.clear();
    return;
  }
  const QString title = tr("No reach");
  if (showsNoEngine(workspace_.engine().measureReach != nullptr, title)) return;
  const Answer* answer = computed(*layer, settings);
  isLatest_ = answer != nullptr;
  if (!answer) {
    // The previous result stays until the next is available, so that stepping does not flicker.
    const bool stays = !shown_.empty() && shown_.front().of == *layer;
    if (!stays || !workspace_.worker().isBusy()) showWaiting();
    return;
  }
  shown_.clear();
  if (!answer->obstacle.empty()) {
    showWords(title, QString::fromStdString(answer->obstacle));
    return;
  }
  shown_ = answer->reaches;
  shownQuery_ = workspace_.queries().query();
  std::vector<HeadPanel> panels = reachPanels(shown_, settings, workspace_.view().settings());
  for (HeadPanel& panel : panels) {
    panel.visible = workspace_.view().visible();
    if (shown_.front().reach.patch) panel.query = workspace_.queries().mark();
  }
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(reachText(shown_, settings), shortLayerName(*layer->inspection, layer->layer().name));
  maps_->setPanels(std::move(panels), seenPicture_);
}

void ReachPage::releaseResults() {
  maps_->clear();
  shown_.clear();
  answers_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<PageFigure> ReachPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const ReachSettings settings = workspace_.analysis().settings().of<ReachSettings>();
  AnalysisCommand command{"reach", {"--layer", shown_.front().of.layer().name}};
  addOptions(command, reachSettings, settings);
  for (const std::vector<std::string>& options :
       {queryOptions(shownQuery_), viewOptions(workspace_.view().settings())}) {
    command.options.insert(command.options.end(), options.begin(), options.end());
  }
  PageFigure page =
      pageFigure(QStringLiteral("reach"),
                 reachFigure(shown_, settings, shownQuery_, markedQueries({shownQuery_}),
                             workspace_.picture().shared(), workspace_.view().settings()),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.arrays = [shown = shown_] { return reachArrays(shown); };
  return page;
}

void ReachPage::readValue(int panel, int row, int column) {
  const HeadPanel& shown = maps_->view(panel).panel();
  const bool ofPixels = shown_.empty() || shown_.front().reach.from == ReachSource::Pixels;
  Q_EMIT readOut(QStringLiteral("%1, %2 (%3, %4): %5")
                     .arg(shown.title, ofPixels ? tr("pixel") : tr("patch"))
                     .arg(row)
                     .arg(column)
                     .arg(valueText(shown.values.at(row, column))));
}

}  // namespace softscope
