#include "widgets/pages/OverviewPage.h"

#include "widgets/views/LayerHeadView.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {
namespace {

/// Returns all layers of the current model.
std::vector<AnalysedLayer> layersOf(const Workspace& workspace) {
  const auto chosen = analysedLayer(workspace.models());
  if (!chosen) return {};
  std::vector<AnalysedLayer> layers(chosen->inspection->layers.size(), *chosen);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].index = i;
  return layers;
}

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

bool isDefined(const LayerOverview& layer) {
  return std::any_of(layer.heads.begin(), layer.heads.end(),
                     [](const std::optional<double>& value) { return value.has_value(); });
}

}  // namespace

OverviewPage::OverviewPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Overview"), parent),
      view_(new LayerHeadView(this)),
      overview_(workspace.worker(), [this] { showNow(); }) {
  setContent(view_);
  addSettings(overviewSettings, controls_);
  connect(view_, &LayerHeadView::chosen, this, &OverviewPage::goTo);
  connect(view_, &LayerHeadView::hovered, this, &OverviewPage::readValue);
  connect(view_, &LayerHeadView::left, this, [this] { Q_EMIT readOut({}); });
}

void OverviewPage::showNow() {
  const OverviewSettings& settings = workspace_.analysis().settings().of<OverviewSettings>();
  const OverviewMeasure of = settings.of;
  controls_.show(settings);
  const Subject subject{layersOf(workspace_), of};
  const auto* overview =
      overview_.get(subject, measuringText(of), [subject](const Progress& progress) {
        return computeOverview(subject.layers, subject.of, progress);
      });
  if (!overview) {
    showWaiting();
    return;
  }
  if (std::none_of(overview->begin(), overview->end(), isDefined)) {
    showWords(tr("Nothing to measure"),
              of == OverviewMeasure::Entries
                  ? tr("No head of this model has entries that are all finite.")
                  : tr("No head of this model looks from patches to patches."));
    return;
  }
  if (drawn_ != overview_.shared()) {
    drawn_ = overview_.shared();
    drawnOf_ = of;
    view_->setMap(overviewMap(*overview, of));
  }
  const auto chosen = analysedLayer(workspace_.models());
  view_->setChosenLayer(chosen ? static_cast<int>(chosen->index) : -1);
  showContent(overviewMeaning(*overview, of));
}

void OverviewPage::goTo(int layer) {
  workspace_.layers().choose(
      (*overview_.latest())[static_cast<std::size_t>(layer)].of.layer().name);
  workspace_.setPage(QStringLiteral("heads"));
}

void OverviewPage::readValue(int layer, int head) {
  if (!drawn_) return;
  const QString number =
      overviewValueText((*drawn_)[static_cast<std::size_t>(layer)], head, drawnOf_);
  Q_EMIT readOut(
      QStringLiteral("%1, head %2: %3").arg(view_->map().layers[layer]).arg(head).arg(number));
}

void OverviewPage::releaseResults() {
  overview_.keepIf(OpenSubjects(workspace_.models()));
  drawn_.reset();
}

std::optional<PageFigure> OverviewPage::figure() const {
  const auto overview = overview_.shared();
  if (!showsContent() || !overview) return std::nullopt;
  const OverviewMeasure of = workspace_.analysis().settings().of<OverviewSettings>().of;
  AnalysisCommand command{"overview", {}};
  addOptions(command, overviewSettings, workspace_.analysis().settings().of<OverviewSettings>());
  PageFigure page =
      pageFigure(QStringLiteral("overview"), overviewFigure(*overview, of),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.table = [overview, of] { return overviewTable(*overview, of); };
  return page;
}

}  // namespace softscope
