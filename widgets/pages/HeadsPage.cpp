#include "widgets/pages/HeadsPage.h"

#include "core/ParallelWork.h"
#include "core/query/Caveats.h"
#include "core/query/HeadLikeness.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/PanelText.h"
#include "widgets/panels/LayerHeader.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"

#include <QtCore/QCoreApplication>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace softscope {

LayerLikeness::LayerLikeness(const Workspace& workspace, Worker& worker,
                             std::function<void()> arrived)
    : workspace_(workspace), likeness_(worker, std::move(arrived)) {}

std::optional<LayerLikeness::Subject> LayerLikeness::subject() const {
  const LayerInspection* layer = workspace_.models().shownLayer();
  if (!layer || !canCompareAnswers(layer->attention->description())) return std::nullopt;
  return Subject{layer->attention, currentMap(workspace_).shown};
}

const std::vector<HeadLikeness>* LayerLikeness::get() {
  const std::optional<Subject> wanted = subject();
  if (!wanted) return nullptr;
  const LayerInspection& layer = *workspace_.models().shownLayer();
  return likeness_.get(*wanted, QCoreApplication::translate("LayerLikeness", "Comparing rows"),
                       [map = mapOf(layer, wanted->map)](const Progress& progress) {
                         return headLikeness(*map, progress);
                       });
}

SharedLikeness LayerLikeness::known() const {
  const std::optional<Subject> wanted = subject();
  return wanted ? likeness_.sharedFor(*wanted) : nullptr;
}

void LayerLikeness::releaseResults() {
  const OpenSubjects isOpen(workspace_.models());
  likeness_.keepIf([&isOpen](const Subject& subject) { return isOpen(subject.attention); });
}

namespace {

/// Returns the panels of the grid of heads: one per answer, drawn as the workspace's view
/// specifies. Heads that answer every query alike are marked as such if `likeness` is known.
std::vector<HeadPanel> headPanels(const Workspace& workspace, const SharedLikeness& likeness) {
  std::vector<HeadPanel> panels;
  std::optional<QueriedLayer> asked = askedHeads(workspace);
  if (!asked) return panels;

  asked->likeness = likeness;
  const ViewSettings& view = workspace.view().settings();
  const std::vector<ValueRange> ranges = valueRanges(asked->values, view);
  const MarkedQuery query{workspace.queries().query(), Qt::white, {}};
  const std::vector<QueryMark> pins = workspace.queries().pinMarks();
  const std::size_t count = asked->values.size();
  panels.resize(count);
  const Eigen::Index values = count > 0 ? asked->values.front().patches.size() : 0;
  // A panel goes through all of its values once more for its note, which takes as long as their
  // range did.
  shareWork(std::ssize(panels), std::ssize(panels) * values, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    panels[i] = headPanel(*asked, query, std::move(asked->values[i]), ranges[i], view);
  });
  for (HeadPanel& panel : panels) {
    panel.colorBar = view.normalisation != ViewSettings::Normalisation::Shared;
    panel.visible = workspace.view().visible();
    panel.pins = pins;
  }
  return panels;
}

}  // namespace

HeadsPage::HeadsPage(Workspace& workspace, QWidget* parent)
    : Page(workspace, parent),
      header_(new LayerHeader(this)),
      heads_(new HeadGrid(this)),
      same_(workspace, workspace.worker(), [this] { showNow(); }) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(header_);
  column->addWidget(heads_, 1);
  // Connected before the query changes.
  connect(heads_, &HeadGrid::pressed, this,
          [this] { beforePress_ = workspace_.queries().query(); });
  connectQuery(*heads_, workspace_);
  connectZoom(*heads_, workspace_);
  connect(heads_, &HeadGrid::menuWanted, this, &HeadsPage::askMenu);
  connect(heads_, &HeadGrid::chosen, this, &HeadsPage::enlarge);
  connect(heads_, &HeadGrid::hovered, this, &HeadsPage::readValue);
  connect(heads_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
  connect(header_, &LayerHeader::layerStepped, &workspace_.layers(), &ShownLayers::step);
  connect(header_, &LayerHeader::allHeadsWanted, this,
          [this] { workspace_.view().setOnlyHead({}); });
  connect(&header_->map(), &MapChoice::chosen, &workspace_.view(), &ViewChoice::setMap);
  connectClasses(header_->classes());
  connect(header_, &LayerHeader::directionChosen, &workspace_.layers(), &ShownLayers::setDirection);
}

void HeadsPage::takePicture() {
  // What a run of the model has cancelled is asked for again.
  same_.retry();
  seenPicture_ = seenPicture(workspace_);
}

void HeadsPage::showEvent(QShowEvent* event) {
  same_.retry();
  Page::showEvent(event);
}

SharedLikeness HeadsPage::headLikeness() {
  // Likeness is that of rows; the answers of columns are different ones.
  if (workspace_.layers().direction() != Direction::Rows) return nullptr;
  same_.get();
  return same_.known();
}

void HeadsPage::showNow() {
  std::vector<HeadPanel> panels = headPanels(workspace_, headLikeness());
  heads_->setPanels(std::move(panels), seenPicture_);
  header_->setDirection(workspace_.layers().direction());
  const MapOptions map = currentMap(workspace_);
  header_->map().setMap(map.shown, map.missing, map.obstacle);
  showClasses(header_->classes());
  header_->setOneHead(workspace_.view().onlyHead().has_value());
  const OpenedModel* opened = workspace_.models().current();
  const LayerInspection* layer = opened ? opened->shownLayer() : nullptr;
  if (!layer) return;
  const AttentionDescription& attention = layer->attention->description();
  const QString note = QString::fromStdString(opened->note);
  QString question = questionText(attention, workspace_.layers().direction(),
                                  workspace_.queries().token(), map.shown);
  question[0] = question[0].toUpper();
  if (workspace_.queries().isOutside()) {
    question += tr(", the nearest to a query outside what this model sees");
  }
  header_->setTexts(shortLayerName(*opened->inspection, layer->name),
                    layerText(*layer, note, map.shown), question);
  const auto& all = opened->inspection->layers;
  header_->setSteps(layer != &all.front(), layer != &all.back());
}

void HeadsPage::releaseResults() {
  heads_->clear();
  same_.releaseResults();
}

bool HeadsPage::hasFigure() const {
  return workspace_.models().shownLayer();
}

std::optional<PageFigure> HeadsPage::figure() const {
  if (!hasFigure()) return std::nullopt;
  const OpenedModel& opened = *workspace_.models().current();
  const QString layer = QString::fromStdString(opened.layer).replace(u'.', u'_');
  HeadsSubject subject = headsSubject(workspace_);
  if (SharedLikeness known = same_.known()) subject.likeness = {std::move(known)};
  PageFigure page = pageFigure(opened.name() + u'_' + layer, headsFigure(subject),
                               {static_cast<std::size_t>(workspace_.models().currentIndex())},
                               headsCommand(subject));
  page.arrays = [subject] { return answerArrays(answersOf(subject)); };
  page.caveats = [subject] { return answerCaveats(answersOf(subject)); };
  return page;
}

void HeadsPage::askMenu(int panel, const QPoint& globalPlace, const QPointF& place) {
  const HeadPanelView& view = heads_->view(panel);
  PanelUnderPointer under =
      panelUnder(view, heads_->picture(), workspace_.queries().extent(), globalPlace, place);
  if (!workspace_.view().onlyHead()) under.head = std::max(-1, view.panel().values.head);
  Q_EMIT panelMenuWanted(under);
}

void HeadsPage::enlarge(int panel, bool asked) {
  const int head = heads_->view(panel).panel().values.head;
  // The press of a double click asked about its place; it was meant for the head.
  AskedQueries& queries = workspace_.queries();
  if (asked && beforePress_ && queries.query() != *beforePress_) queries.undo();
  beforePress_.reset();
  if (workspace_.view().onlyHead()) {
    workspace_.view().setOnlyHead({});
  } else if (head >= 0) {
    workspace_.view().setOnlyHead(head);
  }
}

void HeadsPage::readValue(int panel, int row, int column) {
  const HeadPanel& shown = heads_->view(panel).panel();
  Q_EMIT readOut(QStringLiteral("%1, %2").arg(
      shown.title, valueAtText(shown.values, workspace_.layers().direction(), row, column)));
}

}  // namespace softscope
