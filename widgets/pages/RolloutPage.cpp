#include "widgets/pages/RolloutPage.h"

#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

namespace {

/// Returns the maps that can be rolled out, and why the others cannot.
MapOptions rolledMaps(const Workspace& workspace, const AnalysedLayer& layer) {
  MapOptions maps = analysedMap(workspace, {layer});
  for (const auto& choice : mapSetting.choices) {
    const std::string obstacle = RolloutAnalysis::mapObstacle(choice.value);
    if (obstacle.empty()) continue;
    std::erase_if(maps.missing, [&](const MissingMap& of) { return of.map == choice.value; });
    maps.missing.push_back({choice.value, obstacle});
    if (maps.shown == choice.value) maps.shown = ShownMap::Attention;
  }
  maps.obstacle.clear();
  return maps;
}

}  // namespace

RolloutPage::RolloutPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Rollout"), parent),
      maps_(new HeadGrid(this)),
      shares_(workspace.worker(), [this] { showNow(); }),
      rollouts_(workspace.worker(), [this] { showNow(); }) {
  maps_->setAccessibleName(tr("Rollout"));
  maps_->setAccessibleDescription(
      tr("What the query's token sees of the picture through all layers. Arrow keys step the query "
         "one patch."));
  setContent(maps_);
  addMapChoice();
  addSettings(rolloutSettings, controls_);
  connectQuery(*maps_, workspace_);
  connectZoom(*maps_, workspace_);
  connectMenu(*maps_, *this, workspace_);
  connect(maps_, &HeadGrid::hovered, this, &RolloutPage::readShare);
  connect(maps_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
}

void RolloutPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
}

bool RolloutPage::findShares(const AnalysedLayer& layer, const RolloutSettings& settings,
                             std::shared_ptr<const ModelShare>& shares) {
  const OpenedModel& opened = *workspace_.models().current();
  // If no shares can be measured, a rollout that needs them says so itself.
  const bool canMeasure =
      workspace_.engine().measureShare && opened.summary().obstacleTo("share of heads").empty();
  if (!canMeasure || !mayNeedShares(layer, settings)) return true;
  const auto* found = shares_.get(
      {opened.model, opened.inspection}, tr("Measuring heads"),
      [measurer = workspace_.engine().measureShare, model = opened.model,
       input = inputOf(opened, workspace_.picture().shared())](const Progress& progress) {
        return measurer(*model, input(), {.knockouts = false, .layers = {}}, progress);
      });
  if (found) shares = *found;
  return found != nullptr;
}

const std::vector<LayerRollout>* RolloutPage::findRollouts(const AnalysedLayer& layer,
                                                           ShownMap map) {
  const RolloutSettings settings = workspace_.analysis().settings().of<RolloutSettings>();
  const AskedQueries& queries = workspace_.queries();
  std::shared_ptr<const ModelShare> shares;
  if (map == ShownMap::Attention && !findShares(layer, settings, shares)) return nullptr;
  const Subject subject{{{layer}, map}, settings, {queries.token()}};
  return rollouts_.get(subject, tr("Rolling out"),
                       [subject, shares, picture = workspace_.picture().shared(),
                        query = queries.query()](const Progress& progress) {
                         return computeRollouts(
                             subject, subject.settings, picture.get(), {query},
                             [&shares](const AnalysedLayer&) { return shares; }, progress);
                       });
}

void RolloutPage::showNow() {
  const RolloutSettings settings = workspace_.analysis().settings().of<RolloutSettings>();
  controls_.show(settings);
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!layer) {
    shown_.clear();
    return;
  }
  const MapOptions map = rolledMaps(workspace_, *layer);
  showMap(map);
  forEachSetting(rolloutSettings, [&](const auto& setting) {
    controls_.at(setting.text.key)->setEnabled(map.shown == ShownMap::Attention);
  });
  const std::vector<LayerRollout>* rollouts = findRollouts(*layer, map.shown);
  isLatest_ = rollouts != nullptr;
  if (!rollouts) {
    // The previous result stays until the next is available, so that dragging does not flicker.
    const bool stays = !shown_.empty() && shown_.front().of == *layer;
    if (!stays || !workspace_.worker().isBusy()) showWaiting();
    return;
  }
  shown_ = *rollouts;
  if (!shown_.front().obstacle.empty()) {
    showWords(tr("No rollout"), obstacleText({shown_.front().obstacle}));
    shown_.clear();
    return;
  }
  std::vector<HeadPanel> panels = rolloutPanels(shown_, workspace_.view().settings());
  for (HeadPanel& panel : panels) {
    panel.visible = workspace_.view().visible();
    panel.query = workspace_.queries().mark();
  }
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  showContent(rolloutText(shown_, settings),
              shortLayerName(*layer->inspection, layer->layer().name));
  maps_->setPanels(std::move(panels), seenPicture_);
}

void RolloutPage::retry() {
  shares_.retry();
  rollouts_.retry();
}

void RolloutPage::releaseResults() {
  maps_->clear();
  shown_.clear();
  shares_.keepIf(OpenSubjects(workspace_.models()));
  rollouts_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<PageFigure> RolloutPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const RolloutSettings settings = workspace_.analysis().settings().of<RolloutSettings>();
  AnalysisCommand command{"rollout", {"--layer", shown_.front().of.layer().name}};
  if (shown_.front().rollout.speaksFor.empty()) {
    addOptions(command, rolloutSettings, settings);
  } else {
    // The rollout goes through layers of which some may have no gradient.
    std::vector<const LayerInspection*> layers;
    for (const LayerInspection& layer : shown_.front().of.inspection->layers) {
      layers.push_back(&layer);
    }
    addMap(command, ShownMap::GradientProduct, layers);
  }
  for (const std::vector<std::string>& options :
       {queryOptions(shown_.front().query), viewOptions(workspace_.view().settings())}) {
    command.options.insert(command.options.end(), options.begin(), options.end());
  }
  PageFigure page =
      pageFigure(QStringLiteral("rollout"),
                 rolloutFigure(shown_, settings, markedQueries({shown_.front().query}),
                               workspace_.picture().shared(), workspace_.view().settings()),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.arrays = [shown = shown_] { return rolloutArrays(shown); };
  return page;
}

void RolloutPage::readShare(int panel, int row, int column) {
  Q_EMIT readOut(patchText(maps_->view(panel).panel(), row, column));
}

}  // namespace softscope
