#include "widgets/pages/OverviewPage.h"

#include "core/query/Caveats.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/HeatmapImage.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ComparedParts.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QStackedWidget>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

bool isDefined(const LayerOverview& layer) {
  return std::any_of(layer.heads.begin(), layer.heads.end(),
                     [](const std::optional<double>& value) { return value.has_value(); });
}

QString orderText(HeadOrder order) {
  switch (order) {
    case HeadOrder::Share:
      return OverviewPage::tr("the largest share first");
    case HeadOrder::Sink:
      return OverviewPage::tr("the strongest sink first");
    case HeadOrder::LineScore:
      return OverviewPage::tr("the highest line score first");
    case HeadOrder::Measure:
      break;
  }
  return OverviewPage::tr("the largest measure first");
}

}  // namespace

OverviewPage::OverviewPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Overview"), parent),
      forms_(new QStackedWidget(this)),
      view_(new LayerHeadView(this)),
      wall_(new HeadWallView(this)),
      enlarged_(new HeadPanelView(wall_)),
      results_(workspace, [this] { showNow(); }) {
  forms_->addWidget(wall_);
  forms_->addWidget(view_);
  setContent(forms_);
  addSettings(overviewSettings, controls_);
  connect(view_, &LayerHeadView::chosen, this, &OverviewPage::goTo);
  connect(view_, &LayerHeadView::hovered, this, &OverviewPage::readValue);
  connect(view_, &LayerHeadView::left, this, [this] { Q_EMIT readOut({}); });
  makeWall();
}

void OverviewPage::makeWall() {
  enlarged_->setAutoFillBackground(true);
  wall_->setEnlarged(enlarged_);
  AskedQueries& queries = workspace_.queries();
  connect(wall_, &HeadWallView::stepped, &queries, &AskedQueries::step);
  connect(wall_, &HeadWallView::chosen, this, &OverviewPage::enlarge);
  connect(wall_, &HeadWallView::collectWanted, this, &OverviewPage::collect);
  connect(wall_, &HeadWallView::closeWanted, this, &OverviewPage::closeEnlarged);
  connect(wall_, &HeadWallView::hovered, this, &OverviewPage::readWall);
  connect(wall_, &HeadWallView::left, this, [this] { Q_EMIT readOut({}); });
  const auto at = [this](const QPointF& place) {
    return queryInRegion(workspace_.queries().extent(), place);
  };
  connect(enlarged_, &HeadPanelView::pressed, this,
          [this, at](const QPointF& place) { workspace_.queries().ask(at(place)); });
  connect(enlarged_, &HeadPanelView::dragged, this,
          [this, at](const QPointF& place) { workspace_.queries().drag(at(place)); });
  connect(enlarged_, &HeadPanelView::chosen, this, [this] {
    // The head alone, on its own page.
    const auto [layer, head] = *enlargedHead_;
    closeEnlarged();
    goTo(layer);
    workspace_.view().setOnlyHead(head);
  });
}

void OverviewPage::takePicture() {
  seenPicture_ = seenPicture(workspace_);
  AnalysisPage::takePicture();
}

std::optional<FollowedView> OverviewPage::followedView() const {
  if (workspace_.analysis().settings().of<OverviewSettings>().numbers) return std::nullopt;
  // Thumbnails are drawn without the picture, a pixel for each patch; a head that is enlarged is
  // not.
  return FollowedView{.onPicture = enlargedHead_.has_value(), .smooth = enlargedHead_.has_value()};
}

QWidget* OverviewPage::keyTaker() {
  return showsContent() ? forms_->currentWidget() : nullptr;
}

void OverviewPage::retry() {
  results_.retry();
}

void OverviewPage::showNow() {
  const OverviewSettings& settings = workspace_.analysis().settings().of<OverviewSettings>();
  controls_.show(settings);
  showEffects(settings);
  const OverviewResults::Overview* overview = results_.overview(settings.of);
  if (!settings.numbers) {
    showWall(overview, settings);
  } else if (overview) {
    showNumbers(*overview, settings.of);
  } else {
    showWaiting();
  }
}

void OverviewPage::showEffects(const OverviewSettings& settings) {
  const auto enable = [&](const char* key, bool hasEffect, const QString& otherwise) {
    enableFor(*controls_.at(key), hasEffect ? QString() : otherwise);
  };
  const bool isSorted = settings.sorted && !settings.numbers;
  enable("of", settings.numbers || (isSorted && settings.order == HeadOrder::Measure),
         tr("The wall shows answers; what is measured is shown as numbers, or sorts heads by the "
            "measure"));
  enable("sorted", !settings.numbers, tr("Numbers stand in the order of heads"));
  enable("order", isSorted,
         settings.numbers ? tr("Numbers stand in the order of heads") : tr("Heads are not sorted"));
}

void OverviewPage::showNumbers(const OverviewResults::Overview& overview, OverviewMeasure of) {
  closeEnlarged();
  if (std::none_of(overview.begin(), overview.end(), isDefined)) {
    showWords(tr("Nothing to measure"),
              of == OverviewMeasure::Entries
                  ? tr("No head of this model has entries that are all finite.")
                  : tr("No head of this model looks from patches to patches with weights that are "
                       "finite and not all zero."));
    return;
  }
  if (drawn_ != results_.latestOverview()) {
    drawn_ = results_.latestOverview();
    drawnOf_ = of;
    LayerHeadMap map = overviewMap(overview, of);
    map.layers = shortLayerNames(map.layers);
    view_->setMap(std::move(map));
  }
  const auto chosen = analysedLayer(workspace_.models());
  view_->setChosenLayer(chosen ? static_cast<int>(chosen->index) : -1);
  forms_->setCurrentWidget(view_);
  showContent(overviewMeaning(overview, of));
}

HeadThumbnail OverviewPage::thumbnailOf(const HeadWallRow& row, std::size_t head) const {
  const AttentionValues& answer = row.answers[head];
  HeatmapStyle style = heatmapStyle(workspace_.view().settings(), row.ranges[head]);
  style.smooth = false;
  HeadThumbnail thumbnail;
  thumbnail.head = static_cast<int>(head);
  const std::vector<HeadOfLayer>& collected = workspace_.models().current()->marks.collected;
  thumbnail.isCollected =
      std::ranges::find(collected, HeadOfLayer{row.layer, thumbnail.head}) != collected.end();
  thumbnail.image = heatmapImage(answer, row.ranges[head], style,
                                 QSize(answer.grid.width, answer.grid.height), {});
  const AskedQueries& queries = workspace_.queries();
  if (answer.onPicture && row.mark) {
    thumbnail.query = placeInRegion(queries.extent(), queries.query());
  }
  return thumbnail;
}

void OverviewPage::showWall(const OverviewResults::Overview* overview,
                            const OverviewSettings& settings) {
  rows_ = headWall(workspace_);
  const bool canAnswer = std::any_of(rows_.begin(), rows_.end(),
                                     [](const HeadWallRow& row) { return !row.answers.empty(); });
  if (!canAnswer) {
    showWords(tr("No answers"),
              tr("The columns of this model's layers are not added up; choose what the patch "
                 "attends to."));
    return;
  }
  // The worker does one thing after another: what is shown beside each head, what heads are sorted
  // by, and what they add.
  const auto numbers = overview && settings.sorted
                           ? results_.orderNumbers(*overview, settings.order, rows_)
                           : nullptr;
  const ModelShare* share = overview && (numbers || !settings.sorted) ? results_.shares() : nullptr;
  const double median = share ? medianShare(*share) : 0;
  QStringList names;
  for (const HeadWallRow& row : rows_) names += QString::fromStdString(row.layer);
  names = shortLayerNames(names);
  std::vector<HeadThumbnails> shown;
  for (std::size_t layer = 0; layer < rows_.size(); ++layer) {
    const HeadWallRow& row = rows_[layer];
    const bool isSorted = numbers && layer < numbers->size();
    HeadThumbnails thumbnails{names[static_cast<qsizetype>(layer)], {}, isSorted};
    for (const std::size_t head : orderOfHeads(
             isSorted ? (*numbers)[layer] : HeadNumbers::value_type(), row.answers.size())) {
      thumbnails.heads.push_back(thumbnailOf(row, head));
      if (share) thumbnails.heads.back().strength = headStrength(*share, median, row.layer, head);
    }
    shown.push_back(std::move(thumbnails));
  }
  const auto chosen = analysedLayer(workspace_.models());
  wall_->setChosenLayer(chosen ? static_cast<int>(chosen->index) : -1);
  wall_->setRows(std::move(shown), seenPicture_ ? seenPicture_->aspect() : 1);
  forms_->setCurrentWidget(wall_);
  const auto collected = static_cast<int>(collectedHeads(workspace_.models()));
  QStringList about{
      tr("What every head answers to the query; a click enlarges it, Shift and a click collects it "
         "for Compare")};
  if (collected > 0) about += tr("%1 collected").arg(collected);
  if (share && share->hasNorms) {
    about += tr("dimmed where a head adds less to the residual stream than the median head");
  }
  if (numbers) about += orderText(settings.order);
  prepareFigure();
  showContent(about.join(captionSeparator));
  showEnlarged();
}

void OverviewPage::prepareFigure() {
  // A newer analysis would take the place of one that the wall waits for.
  if (workspace_.worker().isBusy(Worker::Kind::Analysis)) return;
  HeadsSubject subject = wallSubject();
  if (subject.direction != Direction::Rows || subject.layers.empty()) return;
  results_.prepareLikeness(std::move(subject));
}

void OverviewPage::enlarge(int layer, int index) {
  const auto& heads = wall_->rows()[static_cast<std::size_t>(layer)].heads;
  enlargedHead_ = {layer, heads[static_cast<std::size_t>(index)].head};
  showEnlarged();
  Q_EMIT followedViewChanged();
}

void OverviewPage::collect(int layer, int index) {
  const auto row = static_cast<std::size_t>(layer);
  const int head = wall_->rows()[row].heads[static_cast<std::size_t>(index)].head;
  workspace_.models().collect(workspace_.models().currentIndex(), {rows_[row].layer, head});
}

void OverviewPage::showEnlarged() {
  if (!enlargedHead_) return;
  const auto layer = static_cast<std::size_t>(enlargedHead_->first);
  const auto head = static_cast<std::size_t>(enlargedHead_->second);
  if (layer >= rows_.size() || head >= rows_[layer].answers.size()) {
    closeEnlarged();
    return;
  }
  const HeadWallRow& row = rows_[layer];
  HeadPanel panel;
  panel.title =
      wall_->rows()[layer].layer + QStringLiteral(", ") + headText(static_cast<int>(head));
  panel.range = row.ranges[head];
  panel.heat = heatmapStyle(workspace_.view().settings(), row.ranges[head]);
  panel.visible = workspace_.view().visible();
  panel.query = row.mark;
  panel.values = row.answers[head];
  enlarged_->setPanel(std::move(panel), seenPicture_);
  enlarged_->show();
  enlarged_->raise();
}

void OverviewPage::closeEnlarged() {
  enlargedHead_.reset();
  enlarged_->hide();
  Q_EMIT followedViewChanged();
}

void OverviewPage::readWall(const WallPlace& place) {
  const auto layer = static_cast<std::size_t>(place.layer);
  const HeadThumbnails& shown = wall_->rows()[layer];
  const int head = shown.heads[static_cast<std::size_t>(place.index)].head;
  const AttentionValues& answer = rows_[layer].answers[static_cast<std::size_t>(head)];
  const auto cell = [](double fraction, int count) {
    return std::clamp(static_cast<int>(fraction * count), 0, count - 1);
  };
  QString text = QStringLiteral("%1, head %2, %3")
                     .arg(shown.layer)
                     .arg(head)
                     .arg(valueAtText(answer, workspace_.layers().direction(),
                                      cell(place.at.y(), answer.grid.height),
                                      cell(place.at.x(), answer.grid.width)));
  const auto overview = results_.latestOverview();
  if (overview && layer < overview->size()) {
    const OverviewMeasure of = workspace_.analysis().settings().of<OverviewSettings>().of;
    text += captionSeparator + overviewValueText((*overview)[layer], head, of);
  }
  Q_EMIT readOut(text);
}

void OverviewPage::goTo(int layer) {
  const std::vector<AnalysedLayer> layers = results_.layers();
  if (layer >= static_cast<int>(layers.size())) return;
  workspace_.layers().choose(layers[static_cast<std::size_t>(layer)].layer().name);
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
  results_.releaseClosed();
  drawn_.reset();
  closeEnlarged();
  rows_.clear();
  wall_->setRows({}, 1);
}

bool OverviewPage::hasFigure() const {
  if (!showsContent()) return false;
  const bool numbers = workspace_.analysis().settings().of<OverviewSettings>().numbers;
  if (numbers) return results_.latestOverview() != nullptr;
  const HeadsSubject subject = wallSubject();
  return !subject.layers.empty() &&
         (subject.direction != Direction::Rows || results_.likenessOf(subject));
}

HeadsSubject OverviewPage::wallSubject() const {
  std::vector<std::vector<int>> orders;
  for (const HeadThumbnails& row : wall_->rows()) {
    auto& order = orders.emplace_back();
    for (const HeadThumbnail& head : row.heads) order.push_back(head.head);
  }
  HeadsSubject subject = softscope::wallSubject(workspace_, rows_, orders);
  if (!wall_->rows().empty() && wall_->rows().front().isSorted) {
    const auto& settings = workspace_.analysis().settings().of<OverviewSettings>();
    subject.orderNote = orderText(settings.order).toStdString();
  }
  return subject;
}

std::optional<PageFigure> OverviewPage::wallFigure() const {
  const OpenedModel* opened = workspace_.models().current();
  HeadsSubject subject = wallSubject();
  if (!opened || subject.layers.empty()) return std::nullopt;
  if (const auto alike = results_.likenessOf(subject)) subject.likeness = *alike;
  AnalysisCommand command = headsCommand(subject);
  // The wall shows means over channels.
  command.takesChannel = false;
  PageFigure page =
      pageFigure(opened->name() + QStringLiteral("_heads"), headsFigure(subject),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  if (!subject.orderNote.empty()) page.commandNote = tr("It draws heads in their own order.");
  page.arrays = [subject] { return answerArrays(answersOf(subject)); };
  page.caveats = [subject] { return answerCaveats(answersOf(subject)); };
  return page;
}

std::optional<PageFigure> OverviewPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  if (!workspace_.analysis().settings().of<OverviewSettings>().numbers) return wallFigure();
  const auto overview = results_.latestOverview();
  if (!overview) return std::nullopt;
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
