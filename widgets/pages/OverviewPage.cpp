#include "widgets/pages/OverviewPage.h"

#include "core/Quantile.h"
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
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtWidgets/QStackedWidget>

#include <algorithm>
#include <utility>

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

/// Heads that add less to the residual stream than the median head of the model are dimmed, but
/// never so much that they could not be read.
constexpr double weakestStrength = 0.2;

double medianShare(const ModelShare& share) {
  std::vector<double> shares;
  for (const LayerShare& layer : share.layers) {
    for (const HeadShare& head : layer.heads) {
      if (const auto value = layer.residualShare(head)) shares.push_back(*value);
    }
  }
  return medianOf(std::move(shares));
}

double strengthOf(const ModelShare& share, double median, const std::string& name,
                  std::size_t head) {
  for (const LayerShare& layer : share.layers) {
    if (layer.layer != name || head >= layer.heads.size() || median <= 0) continue;
    const std::optional<double> value = layer.residualShare(layer.heads[head]);
    return value ? std::clamp(*value / median, weakestStrength, 1.0) : 1;
  }
  return 1;
}

HeadNumbers sharesOfHeads(const ModelShare& share, const std::vector<HeadWallRow>& rows) {
  HeadNumbers numbers;
  for (const HeadWallRow& row : rows) {
    auto& heads = numbers.emplace_back();
    for (const LayerShare& layer : share.layers) {
      if (layer.layer != row.layer) continue;
      for (const HeadShare& head : layer.heads) heads.push_back(layer.residualShare(head));
    }
  }
  return numbers;
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
      closer_(new HeadPanelView(wall_)),
      overview_(workspace.worker(), [this] { showNow(); }),
      shares_(workspace.worker(), [this] { showNow(); }),
      numbers_(workspace.worker(), [this] { showNow(); }) {
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
  closer_->setAutoFillBackground(true);
  wall_->setCloser(closer_);
  AskedQueries& queries = workspace_.queries();
  connect(wall_, &HeadWallView::stepped, &queries, &AskedQueries::step);
  connect(wall_, &HeadWallView::chosen, this, &OverviewPage::enlarge);
  connect(wall_, &HeadWallView::collectWanted, this, &OverviewPage::collect);
  connect(wall_, &HeadWallView::closeWanted, this, &OverviewPage::closeCloser);
  connect(wall_, &HeadWallView::hovered, this, &OverviewPage::readWall);
  connect(wall_, &HeadWallView::left, this, [this] { Q_EMIT readOut({}); });
  const auto at = [this](const QPointF& place) {
    return queryInRegion(workspace_.queries().extent(), place);
  };
  connect(closer_, &HeadPanelView::pressed, this,
          [this, at](const QPointF& place) { workspace_.queries().ask(at(place)); });
  connect(closer_, &HeadPanelView::dragged, this,
          [this, at](const QPointF& place) { workspace_.queries().drag(at(place)); });
  connect(closer_, &HeadPanelView::chosen, this, [this] {
    // The head alone, on its own page.
    const auto [layer, head] = *enlarged_;
    closeCloser();
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
  return FollowedView{.onPicture = enlarged_.has_value(), .smooth = enlarged_.has_value()};
}

QWidget* OverviewPage::keyTaker() {
  return showsContent() ? forms_->currentWidget() : nullptr;
}

void OverviewPage::retry() {
  overview_.retry();
  shares_.retry();
  numbers_.retry();
}

const OverviewPage::Overview* OverviewPage::measured(const OverviewSettings& settings) {
  const Subject subject{layersOf(workspace_), settings.of};
  return overview_.get(subject, measuringText(settings.of), [subject](const Progress& progress) {
    return computeOverview(subject.layers, subject.of, progress);
  });
}

void OverviewPage::showNow() {
  const OverviewSettings& settings = workspace_.analysis().settings().of<OverviewSettings>();
  controls_.show(settings);
  showEffects(settings);
  const Overview* overview = measured(settings);
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

void OverviewPage::showNumbers(const Overview& overview, OverviewMeasure of) {
  closeCloser();
  if (std::none_of(overview.begin(), overview.end(), isDefined)) {
    showWords(tr("Nothing to measure"),
              of == OverviewMeasure::Entries
                  ? tr("No head of this model has entries that are all finite.")
                  : tr("No head of this model looks from patches to patches with weights that are "
                       "finite and not all zero."));
    return;
  }
  if (drawn_ != overview_.shared()) {
    drawn_ = overview_.shared();
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

const ModelShare* OverviewPage::shares() {
  const OpenedModel* opened = workspace_.models().current();
  const auto& measurer = workspace_.engine().measureShare;
  if (!measurer || opened->summary().isLive || !opened->summary().obstacleTo("share").empty()) {
    return nullptr;
  }
  const auto* share = shares_.get(
      {opened->model, opened->inspection}, tr("Measuring heads"),
      [measurer, model = opened->model,
       input = inputOf(*opened, workspace_.picture().shared())](const Progress& progress) {
        return measurer(*model, input(), {.knockouts = false, .layers = {}}, progress);
      });
  return share ? share->get() : nullptr;
}

std::shared_ptr<const HeadNumbers> OverviewPage::orderNumbers(const Overview& overview,
                                                              HeadOrder order) {
  if (order == HeadOrder::Measure) {
    HeadNumbers numbers;
    for (const LayerOverview& layer : overview) numbers.push_back(layer.heads);
    return std::make_shared<HeadNumbers>(std::move(numbers));
  }
  if (order == HeadOrder::Share) {
    const ModelShare* share = shares();
    return share ? std::make_shared<HeadNumbers>(sharesOfHeads(*share, rows_)) : nullptr;
  }
  const Ordered subject{layersOf(workspace_), order};
  const HeadNumbers* found =
      numbers_.get(subject, tr("Sorting heads"), [subject](const Progress& progress) {
        return headNumbers(subject.layers, subject.order, progress);
      });
  return found ? numbers_.shared() : nullptr;
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

void OverviewPage::showWall(const Overview* overview, const OverviewSettings& settings) {
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
  const auto numbers =
      overview && settings.sorted ? orderNumbers(*overview, settings.order) : nullptr;
  const ModelShare* share = overview && (numbers || !settings.sorted) ? shares() : nullptr;
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
      if (share) thumbnails.heads.back().strength = strengthOf(*share, median, row.layer, head);
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
  if (numbers) {
    about += orderText(settings.order);
    about += tr("figures keep the heads' own order");
  }
  showContent(about.join(captionSeparator));
  showCloser();
}

void OverviewPage::enlarge(int layer, int index) {
  const auto& heads = wall_->rows()[static_cast<std::size_t>(layer)].heads;
  enlarged_ = {layer, heads[static_cast<std::size_t>(index)].head};
  showCloser();
  Q_EMIT followedViewChanged();
}

void OverviewPage::collect(int layer, int index) {
  const auto row = static_cast<std::size_t>(layer);
  const int head = wall_->rows()[row].heads[static_cast<std::size_t>(index)].head;
  workspace_.models().collect(workspace_.models().currentIndex(), {rows_[row].layer, head});
}

void OverviewPage::showCloser() {
  if (!enlarged_) return;
  const auto layer = static_cast<std::size_t>(enlarged_->first);
  const auto head = static_cast<std::size_t>(enlarged_->second);
  if (layer >= rows_.size() || head >= rows_[layer].answers.size()) {
    closeCloser();
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
  closer_->setPanel(std::move(panel), seenPicture_);
  closer_->show();
  closer_->raise();
}

void OverviewPage::closeCloser() {
  enlarged_.reset();
  closer_->hide();
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
  const auto overview = overview_.shared();
  if (overview && layer < overview->size()) {
    const OverviewMeasure of = workspace_.analysis().settings().of<OverviewSettings>().of;
    text += captionSeparator + overviewValueText((*overview)[layer], head, of);
  }
  Q_EMIT readOut(text);
}

void OverviewPage::goTo(int layer) {
  const std::vector<AnalysedLayer> layers = layersOf(workspace_);
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
  overview_.keepIf(OpenSubjects(workspace_.models()));
  shares_.keepIf(OpenSubjects(workspace_.models()));
  numbers_.keepIf(OpenSubjects(workspace_.models()));
  drawn_.reset();
  closeCloser();
  rows_.clear();
  wall_->setRows({}, 1);
}

bool OverviewPage::hasFigure() const {
  if (!showsContent()) return false;
  const bool numbers = workspace_.analysis().settings().of<OverviewSettings>().numbers;
  return numbers ? overview_.latest() != nullptr : !rows_.empty();
}

std::optional<PageFigure> OverviewPage::wallFigure() const {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->inspection) return std::nullopt;
  HeadsSubject subject = headsSubject(workspace_);
  const std::vector<LayerInspection>& layers = opened->ofAllChannels->layers;
  const auto showsMap = [&](ShownMap map, std::size_t layer) {
    return layer < rows_.size() && !rows_[layer].answers.empty() &&
           availableMap(layers[layer], workspace_.view().map()) == map;
  };
  // A figure is of one map: the chosen one, unless all layers show another in its place.
  for (const ShownMap map : {workspace_.view().map(), ShownMap::Attention}) {
    subject.map = map;
    subject.layers.clear();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      if (showsMap(map, layer)) subject.layers.push_back(layers[layer]);
    }
    if (!subject.layers.empty()) break;
  }
  if (subject.layers.empty()) return std::nullopt;
  subject.shown = {};
  AnalysisCommand command = headsCommand(subject);
  // The wall shows means over channels.
  command.takesChannel = false;
  PageFigure page =
      pageFigure(opened->name() + QStringLiteral("_heads"), headsFigure(subject),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, command);
  page.arrays = [subject] { return answerArrays(answersOf(subject)); };
  page.caveats = [subject] { return answerCaveats(answersOf(subject)); };
  return page;
}

std::optional<PageFigure> OverviewPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  if (!workspace_.analysis().settings().of<OverviewSettings>().numbers) return wallFigure();
  const auto overview = overview_.shared();
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
