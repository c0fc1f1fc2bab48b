#include "widgets/pages/BottleneckPage.h"

#include "widgets/controls/ScrolledContent.h"
#include "widgets/pages/PicturePanels.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PanelPlace.h"
#include "widgets/workspace/AnalysedLayers.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {

BottleneckPage::BottleneckPage(Workspace& workspace, QWidget* parent)
    : AnalysisPage(workspace, tr("Bottleneck"), parent),
      view_(addChoice(tr("View"), {tr("Landmarks"), tr("Approximation")},
                      tr("The landmarks, or what they make of the exact kernel"))),
      head_(addChoice(tr("Head"), {})),
      landmarks_(addChoice(tr("Approximated by"), {})),
      landmark_(new QSpinBox(this)),
      body_(new QWidget(this)),
      panels_(new HeadGrid(this)),
      board_(new PlotBoard(this)),
      bottleneck_(workspace.worker(), [this] { showNow(); }),
      approximation_(workspace.worker(), [this] { showNow(); }) {
  for (const auto& choice : approximatingLandmarkNames) {
    landmarks_->addItem(QString::fromUtf8(choice.label));
  }
  landmark_->setAccessibleName(tr("Landmark"));
  landmark_->setToolTip(tr("Whose column of P is shown; a click on the picture chooses one, too"));
  landmark_->setPrefix(tr("Landmark "));
  landmark_->setKeyboardTracking(false);
  addControl(landmark_);
  panels_->setAccessibleName(tr("Bottleneck"));
  panels_->setAccessibleDescription(
      tr("Landmarks on the picture, or rows of the kernel. Arrow keys step to the next one."));
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(panels_, 3);
  column->addWidget(board_, 2);
  scroll_ = new ScrolledContent(
      tr("Bottleneck"), body_, [this](int width) { shareHeight(width); }, this);
  setContent(scroll_);
  connectPanels();
}

void BottleneckPage::connectPanels() {
  connect(view_, &QComboBox::activated, this, [this](int index) {
    // The two analyses displace each other on the worker, so a cancelled one is requested again.
    retry();
    change([index](BottleneckSettings& settings) { settings.approximation = index == 1; });
  });
  connect(head_, &QComboBox::activated, this,
          [this](int index) { change([index](auto& settings) { settings.head = index; }); });
  connect(landmarks_, &QComboBox::activated, this, [this](int index) {
    change([index](auto& settings) {
      settings.landmarks = approximatingLandmarkNames[static_cast<std::size_t>(index)].value;
    });
  });
  connect(landmark_, &QSpinBox::valueChanged, this,
          [this](int value) { change([value](auto& settings) { settings.landmark = value; }); });
  const auto pick = [this](const QPointF& at, bool drags) {
    if (!workspace_.analysis().settings().of<BottleneckSettings>().approximation)
      return chooseLandmarkAt(at);
    const PictureQuery query = queryInRegion(workspace_.queries().extent(), at);
    drags ? workspace_.queries().drag(query) : workspace_.queries().ask(query);
  };
  connect(panels_, &HeadGrid::pressed, this, [pick](const QPointF& at) { pick(at, false); });
  connect(panels_, &HeadGrid::dragged, this, [pick](const QPointF& at) { pick(at, true); });
  connectZoom(*panels_, workspace_);
  connectMenu(*panels_, *this, workspace_);
  connect(panels_, &HeadGrid::stepped, this, &BottleneckPage::stepLandmark);
  connect(panels_, &HeadGrid::hovered, this, &BottleneckPage::readOutValue);
  connect(panels_, &HeadGrid::left, this, [this] { Q_EMIT readOut({}); });
  connect(board_, &PlotBoard::hovered, this, &Page::readOut);
  connect(board_, &PlotBoard::left, this, [this] { Q_EMIT readOut({}); });
}

void BottleneckPage::change(const std::function<void(BottleneckSettings&)>& change) {
  AnalysisSettings settings = workspace_.analysis().settings();
  change(settings.of<BottleneckSettings>());
  workspace_.analysis().set(settings);
}

void BottleneckPage::takePicture() {
  AnalysisPage::takePicture();
  seenPicture_ = seenPicture(workspace_);
}

int BottleneckPage::chosenHead(const AnalysedLayer& layer) const {
  return std::min(workspace_.analysis().settings().of<BottleneckSettings>().head,
                  layer.attention().heads - 1);
}

bool BottleneckPage::runsAsTrained() const {
  return workspace_.models().current()->request.landmarks.isTrained();
}

BottleneckPage::Subject BottleneckPage::approximated(const AnalysedLayer& layer) const {
  const LandmarkSource chosen = workspace_.analysis().settings().of<BottleneckSettings>().landmarks;
  return {layer, chosenHead(layer), runsAsTrained() ? chosen : LandmarkSource::Trained};
}

std::optional<int> BottleneckPage::chosenLandmarkIn(const HeadBottleneck& bottleneck) const {
  const std::optional<int> chosen =
      workspace_.analysis().settings().of<BottleneckSettings>().landmark;
  const auto count = static_cast<int>(bottleneck.landmarks.size());
  return chosen && *chosen < count ? chosen : std::nullopt;
}

void BottleneckPage::showChoices(const AnalysedLayer& layer) {
  const bool approximation =
      workspace_.analysis().settings().of<BottleneckSettings>().approximation;
  view_->setCurrentIndex(approximation ? 1 : 0);
  if (head_->count() != layer.attention().heads) {
    head_->clear();
    for (int head = 0; head < layer.attention().heads; ++head)
      head_->addItem(asSentence(headText(head)));
  }
  head_->setCurrentIndex(chosenHead(layer));
  showLandmarkChoice(layer);
  landmark_->setVisible(!approximation);
  board_->setVisible(!approximation);
}

void BottleneckPage::showLandmarkChoice(const AnalysedLayer& layer) {
  landmarks_->setVisible(workspace_.analysis().settings().of<BottleneckSettings>().approximation);
  landmarks_->setEnabled(runsAsTrained());
  landmarks_->setToolTip(
      runsAsTrained()
          ? QString::fromUtf8(settingText(bottleneckSettings, "landmarks").tip)
          : tr("This model runs with other landmarks than it was trained with: its kernel is "
               "that of the network so run"));
  const LandmarkSource shown = approximated(layer).landmarks;
  int index = 0;
  while (approximatingLandmarkNames[index].value != shown) ++index;
  landmarks_->setCurrentIndex(index);
}

void BottleneckPage::showNow() {
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!layer) return;
  showChoices(*layer);
  if (workspace_.analysis().settings().of<BottleneckSettings>().approximation) {
    showApproximation(approximated(*layer));
  } else {
    showLandmarks({*layer, chosenHead(*layer)});
  }
}

void BottleneckPage::showLandmarks(const Subject& subject) {
  const HeadBottleneck* bottleneck =
      bottleneck_.get(subject, tr("Decomposing"), [subject](const Progress& progress) {
        return computeBottlenecks({subject.layer}, {subject.head}, progress).front();
      });
  landmark_->setEnabled(bottleneck && bottleneck->obstacle.empty());
  if (!bottleneck) {
    showWaiting();
    return;
  }
  if (!bottleneck->obstacle.empty()) {
    showObstacles(tr("No bottleneck"), {bottleneck->obstacle});
    return;
  }
  const int landmark = chosenLandmark(*bottleneck, chosenLandmarkIn(*bottleneck));
  const QSignalBlocker quiet(landmark_);
  landmark_->setRange(0, static_cast<int>(bottleneck->landmarks.size()) - 1);
  landmark_->setValue(landmark);
  showPanels(bottleneckPanels(*bottleneck, landmark, workspace_.view().settings()),
             bottleneckText(*bottleneck));
  board_->setPlots({eigenvaluePlot(*bottleneck)});
  scroll_->fit();
}

void BottleneckPage::showApproximation(const Subject& subject) {
  HeadApproximation now = approximationsOf({subject.layer}, {subject.head}).front();
  if (!now.obstacle.empty()) {
    showObstacles(tr("No approximation"), {now.obstacle});
    return;
  }
  const HeadApproximation* measured = approximation_.get(
      subject, tr("Comparing with the exact kernel"), [subject](const Progress& progress) {
        const LandmarkChoice landmarks{.source = subject.landmarks};
        return computeApproximations({subject.layer}, {subject.head}, landmarks, progress).front();
      });
  // The rows for the network's own landmarks can be shown before the distances of the matrices are
  // known.
  if (!measured && subject.landmarks != LandmarkSource::Trained) return showWaiting();
  if (measured) now = *measured;
  if (!now.obstacle.empty()) {
    showObstacles(tr("No approximation"), {now.obstacle});
    return;
  }
  showPanels(approximationPanels(now, markedQuery(), workspace_.queries().extent(),
                                 workspace_.view().settings()),
             approximationText(now));
}

void BottleneckPage::showPanels(std::vector<HeadPanel> panels, const QString& about) {
  for (HeadPanel& panel : panels) panel.visible = workspace_.view().visible();
  // Shown before the panels are arranged, because a hidden widget does not have its final size.
  const OpenedModel& opened = *workspace_.models().current();
  showContent(about, shortLayerName(*opened.inspection, opened.layer));
  panels_->setPanels(std::move(panels), seenPicture_);
  scroll_->fit();
}

void BottleneckPage::shareHeight(int width) {
  // Panels that are as wide as the page need less than their part; the plot takes the rest.
  constexpr double mostOfPanels = 0.6;
  const bool areAlone = board_->isHidden();
  const int ofPanels = panels_->leastHeight(width);
  const int ofPlot = areAlone ? 0 : board_->leastHeight(width);
  panels_->setMinimumHeight(ofPanels);
  board_->setMinimumHeight(ofPlot);
  const int height = std::max(body_->height(), ofPanels + ofPlot);
  const int most = std::min(static_cast<int>(mostOfPanels * height), height - ofPlot);
  panels_->setMaximumHeight(areAlone ? QWIDGETSIZE_MAX
                                     : std::max(ofPanels, panels_->heightIn({width, most})));
}

void BottleneckPage::chooseLandmarkAt(const QPointF& place) {
  const HeadBottleneck* bottleneck = bottleneck_.latest();
  if (!bottleneck || bottleneck->landmarks.empty()) return;
  const int landmark = landmarkAt(bottleneck->landmarks, *bottleneck->of.attention().queryGrid,
                                  place.x(), place.y());
  change([landmark](BottleneckSettings& settings) { settings.landmark = landmark; });
}

void BottleneckPage::stepLandmark(int rows, int columns) {
  if (workspace_.analysis().settings().of<BottleneckSettings>().approximation) {
    workspace_.queries().step(rows, columns);
    return;
  }
  const HeadBottleneck* bottleneck = bottleneck_.latest();
  if (!bottleneck || bottleneck->landmarks.empty()) return;
  const auto count = static_cast<int>(bottleneck->landmarks.size());
  const int now = chosenLandmark(*bottleneck, chosenLandmarkIn(*bottleneck));
  const TokenGrid grid = bottleneck->of.attention().landmarkGrid.value_or(TokenGrid{1, count});
  // If the landmarks do not form a grid, the arrow keys step through them one by one.
  const int row = std::clamp(now / grid.width + (grid.height > 1 ? rows : 0), 0, grid.height - 1);
  const int column =
      std::clamp(now % grid.width + columns + (grid.height > 1 ? 0 : rows), 0, grid.width - 1);
  change([&](BottleneckSettings& settings) { settings.landmark = row * grid.width + column; });
}

void BottleneckPage::readOutValue(int index, int row, int column) {
  const HeadPanel& panel = panels_->view(index).panel();
  if (!panel.values.onPicture) {
    const QString value = valueText(panel.values.at(row, column));
    Q_EMIT readOut(tr("A, landmarks %1 and %2: %3").arg(row).arg(column).arg(value));
  } else {
    Q_EMIT readOut(patchText(panel, row, column));
  }
}

MarkedQuery BottleneckPage::markedQuery() const {
  return {workspace_.queries().query(), Qt::white, {}};
}

AnalysisCommand BottleneckPage::command(const Subject& subject) const {
  AnalysisCommand command{
      "bottleneck",
      {"--layer", subject.layer.layer().name, "--head", std::to_string(subject.head)}};
  return command;
}

void BottleneckPage::releaseResults() {
  panels_->clear();
  bottleneck_.keepIf(OpenSubjects(workspace_.models()));
  approximation_.keepIf(OpenSubjects(workspace_.models()));
}

std::optional<FollowedView> BottleneckPage::followedView() const {
  // Landmarks attend and are attended to by kernels, which are positive; approximations are not.
  const auto& settings = workspace_.analysis().settings().of<BottleneckSettings>();
  return FollowedView{.signs = settings.approximation};
}

bool BottleneckPage::hasFigure() const {
  if (!showsContent()) return false;
  // A printed approximation states how far the matrices are apart, so that must be known.
  return !workspace_.analysis().settings().of<BottleneckSettings>().approximation ||
         approximation_.latest();
}

std::optional<PageFigure> BottleneckPage::figure() const {
  const std::optional<AnalysedLayer> layer = analysedLayer(workspace_.models());
  if (!hasFigure() || !layer) return std::nullopt;
  return workspace_.analysis().settings().of<BottleneckSettings>().approximation
             ? approximationsFigure(approximated(*layer))
             : landmarksFigure({*layer, chosenHead(*layer)});
}

std::optional<PageFigure> BottleneckPage::landmarksFigure(const Subject& subject) const {
  const auto bottleneck = bottleneck_.shared();
  const int landmark = chosenLandmark(*bottleneck, chosenLandmarkIn(*bottleneck));
  AnalysisCommand options = command(subject);
  options.options.insert(options.options.end(), {"--landmark", std::to_string(landmark)});
  const std::vector<std::string> view = viewOptions(workspace_.view().settings());
  options.options.insert(options.options.end(), view.begin(), view.end());
  PageFigure page =
      pageFigure(QStringLiteral("bottleneck"),
                 bottleneckFigure({*bottleneck}, landmark, workspace_.picture().shared(),
                                  workspace_.view().settings()),
                 {static_cast<std::size_t>(workspace_.models().currentIndex())}, options);
  page.arrays = [bottleneck, landmark] { return bottleneckArrays({*bottleneck}, landmark); };
  return page;
}

std::optional<PageFigure> BottleneckPage::approximationsFigure(const Subject& subject) const {
  const auto approximation = approximation_.shared();
  const std::vector<MarkedQuery> queries = {markedQuery()};
  AnalysisCommand options = command(subject);
  options.options.emplace_back("--approximation");
  if (!runsAsTrained()) options.options.emplace_back("--rerun");
  if (subject.landmarks != LandmarkSource::Trained) {
    options.options.insert(options.options.end(), {"--landmarks", nameOf(subject.landmarks)});
  }
  for (const std::vector<std::string>& more :
       {queryOptions(queries.front().query), viewOptions(workspace_.view().settings())}) {
    options.options.insert(options.options.end(), more.begin(), more.end());
  }
  const auto picture = workspace_.picture().shared();
  PageFigure page = pageFigure(
      QStringLiteral("approximation"),
      approximationFigure({*approximation}, queries, picture, workspace_.view().settings()),
      {static_cast<std::size_t>(workspace_.models().currentIndex())}, options);
  page.arrays = [approximation, queries, picture] {
    return approximationArrays({*approximation}, placesOf(queries), picture.get());
  };
  return page;
}

void BottleneckPage::retry() {
  bottleneck_.retry();
  approximation_.retry();
}

}  // namespace softscope
