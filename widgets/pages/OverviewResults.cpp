#include "widgets/pages/OverviewResults.h"

#include "widgets/pages/OverviewPage.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <utility>

namespace softscope {
namespace {

QString measuringText(OverviewMeasure of) {
  switch (of) {
    case OverviewMeasure::Distance:
      return OverviewPage::tr("Measuring distances");
    case OverviewMeasure::Entropy:
      return OverviewPage::tr("Measuring entropies");
    case OverviewMeasure::Entries:
      break;
  }
  return OverviewPage::tr("Looking for the largest entries");
}

}  // namespace

OverviewResults::OverviewResults(Workspace& workspace, const std::function<void()>& arrived)
    : workspace_(workspace),
      overview_(workspace.worker(), arrived),
      shares_(workspace.worker(), arrived),
      numbers_(workspace.worker(), arrived),
      alike_(workspace.worker(), arrived) {}

std::vector<AnalysedLayer> OverviewResults::layers() const {
  const auto chosen = analysedLayer(workspace_.models());
  if (!chosen) return {};
  std::vector<AnalysedLayer> layers(chosen->inspection->layers.size(), *chosen);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].index = i;
  return layers;
}

const OverviewResults::Overview* OverviewResults::overview(OverviewMeasure of) {
  const Subject subject{layers(), of};
  return overview_.get(subject, measuringText(of), [subject](const Progress& progress) {
    return computeOverview(subject.layers, subject.of, progress);
  });
}

const ModelShare* OverviewResults::shares() {
  const OpenedModel* opened = workspace_.models().current();
  const auto& measurer = workspace_.engine().measureShare;
  if (!measurer || opened->summary().isLive || !opened->summary().obstacleTo("share").empty()) {
    return nullptr;
  }
  const auto* share = shares_.get(
      {opened->model, opened->inspection}, OverviewPage::tr("Measuring heads"),
      [measurer, model = opened->model,
       input = inputOf(*opened, workspace_.picture().shared())](const Progress& progress) {
        return measurer(*model, input(), {.knockouts = false, .layers = {}}, progress);
      });
  return share ? share->get() : nullptr;
}

std::shared_ptr<const HeadNumbers> OverviewResults::orderNumbers(
    const Overview& overview, HeadOrder order, const std::vector<HeadWallRow>& rows) {
  if (order == HeadOrder::Measure) {
    HeadNumbers numbers;
    for (const LayerOverview& layer : overview) numbers.push_back(layer.heads);
    return std::make_shared<HeadNumbers>(std::move(numbers));
  }
  if (order == HeadOrder::Share) {
    const ModelShare* share = shares();
    return share ? std::make_shared<HeadNumbers>(sharesOfHeads(*share, rows)) : nullptr;
  }
  const Ordered subject{layers(), order};
  const HeadNumbers* found =
      numbers_.get(subject, OverviewPage::tr("Sorting heads"), [subject](const Progress& progress) {
        return headNumbers(subject.layers, subject.order, progress);
      });
  return found ? numbers_.shared() : nullptr;
}

void OverviewResults::prepareLikeness(HeadsSubject subject) {
  const Alike alike = alikeOf(subject);
  alike_.retrySuperseded();
  alike_.get(alike, OverviewPage::tr("Comparing rows"),
             [layers = std::move(subject.layers), map = alike.map](const Progress& progress) {
               return layerLikeness(layers, map, progress);
             });
}

OverviewResults::Alike OverviewResults::alikeOf(const HeadsSubject& subject) {
  Alike alike{{}, subject.map};
  for (const LayerInspection& layer : subject.layers) alike.layers.push_back(layer.attention);
  return alike;
}

void OverviewResults::retry() {
  overview_.retry();
  shares_.retry();
  numbers_.retry();
  alike_.retry();
}

void OverviewResults::releaseClosed() {
  overview_.keepIf(OpenSubjects(workspace_.models()));
  shares_.keepIf(OpenSubjects(workspace_.models()));
  numbers_.keepIf(OpenSubjects(workspace_.models()));
  alike_.keepIf(OpenSubjects(workspace_.models()));
}

}  // namespace softscope
