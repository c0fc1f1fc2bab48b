#include "widgets/pages/SharePage.h"

#include "widgets/paint/PanelText.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

namespace softscope {

SharePage::SharePage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Share"), parent),
      view_(new LayerHeadView(this)),
      shares_(workspace.worker(), [this] { showNow(); }) {
  setContent(view_);
  addSettings(shareSettings, controls_);
  connect(view_, &LayerHeadView::chosen, this, &SharePage::goTo);
  connect(view_, &LayerHeadView::hovered, this,
          [this](int layer, int head) { Q_EMIT readOut(shareText(shown_, layer, head)); });
  connect(view_, &LayerHeadView::left, this, [this] { Q_EMIT readOut({}); });
}

std::function<SharePage::Shared(const Progress&)> SharePage::measurement(bool knockouts) const {
  const OpenedModel& opened = *workspace_.models().current();
  return [measurer = workspace_.engine().measureShare, model = opened.model,
          input = inputOf(opened, workspace_.picture().shared()),
          knockouts](const Progress& progress) {
    return measurer(*model, input(), {.knockouts = knockouts, .layers = {}}, progress);
  };
}

SharePage::Shared SharePage::measured() {
  const OpenedModel& opened = *workspace_.models().current();
  job_.reset();
  const Shared* shares =
      shares_.get({opened.model, opened.inspection}, tr("Measuring heads"), measurement(false));
  if (!shares) return nullptr;
  if (!workspace_.analysis().settings().of<ShareSettings>().knockouts || (*shares)->logits.empty())
    return *shares;
  const KnockedOut subject{runOf(workspace_, opened)};
  auto known = workspace_.jobs().find<Shared>(subject);
  if (!known.job) {
    knockOut();
    known = workspace_.jobs().find<Shared>(subject);
  }
  job_ = known.job;
  return known.result ? *known.result : *shares;
}

void SharePage::knockOut() {
  const OpenedModel& opened = *workspace_.models().current();
  workspace_.jobs().start<Shared>(
      KnockedOut{runOf(workspace_, opened)},
      pageJobText(workspace_, opened, QStringLiteral("share"), tr("Knock-outs")),
      [measure = measurement(true)](const Progress& progress, const Jobs::Teller<Shared>&) {
        return measure(progress);
      });
}

void SharePage::computeAgain() {
  retry();
  if (job_ && !job_->isActive()) knockOut();
}

void SharePage::showNow() {
  const ShareSettings settings = workspace_.analysis().settings().of<ShareSettings>();
  controls_.show(settings);
  complete_ = false;
  const OpenedModel* opened = workspace_.models().current();
  offerJob({});
  if (!opened || !opened->inspection) return;
  if (showsNoEngine(workspace_.engine().measureShare != nullptr, tr("No shares"))) return;
  // A live model can be run without heads, which also tells how much they add.
  const std::string obstacle =
      opened->summary().isLive ? "" : opened->summary().obstacleTo("share of heads");
  if (!obstacle.empty()) {
    showWords(tr("No shares"), QString::fromStdString(obstacle));
    return;
  }
  shown_ = {opened->name().toStdString(), opened->note, opened->summary().classNames, measured()};
  offerJob(job_);
  if (shown_.share) {
    showMap(shownSettings());
  } else {
    showWaiting();
  }
}

ShareSettings SharePage::shownSettings() const {
  ShareSettings settings = workspace_.analysis().settings().of<ShareSettings>();
  if (shown_.share && !shown_.share->hasNorms) settings.of = ShareReference::Knockout;
  return settings;
}

void SharePage::showMap(const ShareSettings& settings) {
  const ModelShare& share = *shown_.share;
  const bool waits = settings.knockouts && !share.knockouts && !share.logits.empty();
  QString about = shareMeaning(settings.of) + QStringLiteral(" · ") + shareSummary(share);
  if (waits) {
    about += tr(" · knock-outs: %1").arg(job_ ? jobStateText(*job_) : QString());
  }
  if (waits && settings.of == ShareReference::Knockout) {
    if (job_) showJob(*job_);
    return;
  }
  const QString obstacle = shareObstacle(share, settings.of);
  if (!obstacle.isEmpty()) {
    showWords(tr("Nothing to compare with"), obstacle);
    return;
  }
  if (drawn_ != shown_.share || drawnOf_ != settings.of) {
    LayerHeadMap map = shareMap(share, settings.of);
    map.layers = shortLayerNames(map.layers);
    view_->setMap(std::move(map));
    drawn_ = shown_.share;
    drawnOf_ = settings.of;
  }
  const auto& name = workspace_.models().current()->layer;
  int chosen = -1;
  for (std::size_t i = 0; i < share.layers.size(); ++i) {
    if (share.layers[i].layer == name) chosen = static_cast<int>(i);
  }
  view_->setChosenLayer(chosen);
  showContent(about);
  complete_ = !waits;
}

void SharePage::goTo(int layer) {
  workspace_.layers().choose(shown_.share->layers[static_cast<std::size_t>(layer)].layer);
  workspace_.setPage(QStringLiteral("heads"));
}

void SharePage::releaseResults() {
  shares_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<PageFigure> SharePage::figure() const {
  if (!complete_) return std::nullopt;
  const ShareSettings settings = shownSettings();
  AnalysisCommand command{"share", {}};
  addOptions(command, shareSettings, settings);
  const std::vector<MeasuredShare> measured{shown_};
  PageFigure page =
      pageFigure(QStringLiteral("share"), shareFigure(measured, settings),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.table = [measured] { return shareTable(measured); };
  return page;
}

}  // namespace softscope
