#include "app/MainWindow.h"

#include "app/FileExchange.h"
#include "app/ShortcutsPage.h"
#include "app/WindowActions.h"
#include "app/WindowDocks.h"
#include "core/inspect/Device.h"
#include "widgets/EmptyState.h"
#include "widgets/ErrorBanner.h"
#include "widgets/HeadGrid.h"
#include "widgets/HeadPanelView.h"
#include "widgets/HeadPanels.h"
#include "widgets/LayerHeader.h"
#include "widgets/LayerTree.h"
#include "widgets/ModelPanel.h"
#include "widgets/PictureView.h"
#include "widgets/PredictionList.h"
#include "widgets/ProgressStrip.h"
#include "widgets/Theme.h"
#include "widgets/ViewPanel.h"
#include "widgets/figure/PanelText.h"
#include "widgets/figure/ValueText.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QScreen>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QStatusBar>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace softscope {
namespace {

constexpr int layoutVersion = 1;
constexpr int readingTime = 6000;
constexpr double opacityStep = 0.05;

std::vector<PredictionList::Line> predictionLines(const OpenedModel& opened) {
  constexpr int shown = 5;
  const std::vector<std::string>& names = opened.summary().classNames;
  std::vector<PredictionList::Line> lines;
  for (const Prediction& prediction : topPredictions(opened.inspection->logits, shown)) {
    const auto index = static_cast<std::size_t>(prediction.classIndex);
    const QString name = index < names.size() ? QString::fromStdString(names[index])
                                              : MainWindow::tr("class %1").arg(index);
    lines.push_back({name, prediction.probability});
  }
  return lines;
}

QString runText(const Inspection& inspection) {
  return MainWindow::tr("Ran at %1 × %2 in %3 s on %4")
      .arg(inspection.inputHeight)
      .arg(inspection.inputWidth)
      .arg(valueText(inspection.seconds, 2), QString::fromStdString(inspection.device));
}

}  // namespace

MainWindow::MainWindow(ModelOpener opener, ModelInspector inspector, WindowOptions options)
    : options_(std::move(options)),
      settings_(readWindowSettings()),
      systemTheme_(systemTheme()),
      workspace_(std::move(opener), std::move(inspector)),
      actions_(new WindowActions(*this)),
      files_(std::make_unique<FileExchange>(*this, workspace_, *actions_, settings_)) {
  setObjectName(QStringLiteral("softscope"));
  setWindowIcon(QIcon(QStringLiteral(":/softscope/icons/softscope.svg")));
  setAcceptDrops(true);
  headsDue_.setSingleShot(true);
  headsDue_.setInterval(0);
  // Before widgets exist: they ask for its colours when they are made.
  chooseTheme(options_.theme ? options_.theme : settings_.theme);
  buildCentre();
  buildDocks();
  connectWorkspace();
  connectPanels();
  connectActions();
  restore();
  showPicture();
  showModel();
  showView();
  openFirst();
}

MainWindow::~MainWindow() {
  // Its last signals would reach widgets that are being destroyed.
  workspace_.disconnect();
}

void MainWindow::buildCentre() {
  banner_ = new ErrorBanner;
  empty_ = new EmptyState;
  header_ = new LayerHeader;
  heads_ = new HeadGrid;
  auto* page = new QWidget;
  auto* pageColumn = new QVBoxLayout(page);
  pageColumn->setContentsMargins(0, 0, 0, 0);
  pageColumn->setSpacing(0);
  pageColumn->addWidget(header_);
  pageColumn->addWidget(heads_, 1);
  pages_ = new QStackedWidget;
  pages_->addWidget(empty_);
  pages_->addWidget(page);

  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(banner_);
  column->addWidget(pages_, 1);
  setCentralWidget(centre);

  readout_ = new QLabel;
  readout_->setAccessibleName(tr("Value under the pointer"));
  readout_->setIndent(10);
  progress_ = new ProgressStrip;
  statusBar()->setSizeGripEnabled(false);
  statusBar()->addWidget(readout_, 1);
  statusBar()->addPermanentWidget(progress_);
}

void MainWindow::buildDocks() {
  pictureView_ = new PictureView;
  predictions_ = new PredictionList;
  modelPanel_ = new ModelPanel;
  layers_ = new LayerTree;
  viewPanel_ = new ViewPanel;
  modelPanel_->setDevices(availableDevices());
  docks_ = std::make_unique<WindowDocks>(
      *this, DockContents{pictureView_, predictions_, modelPanel_, layers_, viewPanel_},
      *actions_->panels);
}

void MainWindow::connectWorkspace() {
  connect(&workspace_, &Workspace::pictureChanged, this, &MainWindow::showPicture);
  connect(&workspace_, &Workspace::modelChanged, this, &MainWindow::rememberModel);
  connect(&workspace_, &Workspace::inspectionChanged, this, &MainWindow::showModel);
  connect(&workspace_, &Workspace::inspectionChanged, this, &MainWindow::applyFirstQuery);
  connect(&workspace_, &Workspace::layerChanged, this, &MainWindow::showLayer);
  connect(&workspace_, &Workspace::queryChanged, &headsDue_, qOverload<>(&QTimer::start));
  connect(&workspace_, &Workspace::viewChanged, this, &MainWindow::showView);
  connect(&headsDue_, &QTimer::timeout, this, &MainWindow::showHeads);
  connect(&workspace_, &Workspace::busyChanged, this, [this](bool busy) {
    progress_->setBusy(busy);
    // A combo shows what was asked for; after a failure, again what there is.
    if (!busy) showModelPanel();
    showEmptyState();
    updateActions();
  });
  connect(&workspace_, &Workspace::progressed, progress_, &ProgressStrip::setProgress);
  connect(&workspace_, &Workspace::failed, banner_, &ErrorBanner::showError);
  connect(files_.get(), &FileExchange::failed, banner_,
          [this](const QString& message) { banner_->showError(message, {}); });
  connect(files_.get(), &FileExchange::said, this,
          [this](const QString& message) { statusBar()->showMessage(message, readingTime); });
}

void MainWindow::connectPanels() {
  connect(pictureView_, &PictureView::pressed, &workspace_, &Workspace::setQuery);
  connect(pictureView_, &PictureView::dragged, &workspace_, &Workspace::dragQuery);
  connect(pictureView_, &PictureView::stepped, &workspace_, &Workspace::stepQuery);
  connect(pictureView_, &PictureView::hovered, this, [this](const Patch& patch) {
    readout_->setText(tr("patch (%1, %2)").arg(patch.row).arg(patch.column));
  });
  connect(pictureView_, &PictureView::left, readout_, &QLabel::clear);
  connect(heads_, &HeadGrid::pressed, this, [this](QPointF place) { askAt(place, false); });
  connect(heads_, &HeadGrid::dragged, this, [this](QPointF place) { askAt(place, true); });
  connect(heads_, &HeadGrid::stepped, &workspace_, &Workspace::stepQuery);
  connect(heads_, &HeadGrid::hovered, this, &MainWindow::readOut);
  connect(heads_, &HeadGrid::left, readout_, &QLabel::clear);
  connect(header_, &LayerHeader::layerStepped, &workspace_, &Workspace::stepLayer);
  connect(header_, &LayerHeader::directionChosen, &workspace_, &Workspace::setDirection);
  connect(layers_, &LayerTree::layerChosen, &workspace_, &Workspace::setLayer);
  connect(modelPanel_, &ModelPanel::mechanismChosen, &workspace_, &Workspace::setAttention);
  connect(modelPanel_, &ModelPanel::inputSizeChosen, &workspace_, &Workspace::setInputSize);
  connect(modelPanel_, &ModelPanel::deviceChosen, &workspace_, &Workspace::setDevice);
  connect(viewPanel_, &ViewPanel::viewChosen, &workspace_, &Workspace::setView);
  connect(viewPanel_, &ViewPanel::meanChosen, &workspace_, &Workspace::setIncludesMean);
  connect(progress_, &ProgressStrip::cancelled, &workspace_, &Workspace::cancel);
  connect(empty_, &EmptyState::pictureWanted, files_.get(), &FileExchange::openPictureDialog);
  connect(empty_, &EmptyState::modelWanted, files_.get(), &FileExchange::openModelDialog);
  connect(empty_, &EmptyState::runWanted, &workspace_, &Workspace::inspectAgain);
}

void MainWindow::connectActions() {
  const auto on = [this](QAction* action, auto function) {
    connect(action, &QAction::triggered, this, function);
  };
  on(actions_->quit, &QWidget::close);
  on(actions_->undo, [this] { workspace_.undoQuery(); });
  on(actions_->redo, [this] { workspace_.redoQuery(); });
  on(actions_->swapDirection, [this](bool columns) {
    workspace_.setDirection(columns ? Direction::Columns : Direction::Rows);
  });
  on(actions_->classToken, [this] { workspace_.toggleClassToken(); });
  on(actions_->previousLayer, [this] { workspace_.stepLayer(-1); });
  on(actions_->nextLayer, [this] { workspace_.stepLayer(1); });
  on(actions_->moreOpaque, [this] { changeOpacity(opacityStep); });
  on(actions_->lessOpaque, [this] { changeOpacity(-opacityStep); });
  on(actions_->smooth, [this](bool smooth) {
    ViewSettings view = workspace_.view();
    view.smooth = smooth;
    workspace_.setView(view);
  });
  on(actions_->resetLayout, [this] { docks_->arrange(); });
  on(actions_->cancel, [this] {
    if (workspace_.isBusy()) {
      workspace_.cancel();
    } else {
      banner_->dismiss();
    }
  });
  on(actions_->shortcuts, [this] { showShortcutsPage(*this); });
  on(actions_->about, &MainWindow::showAbout);
  connect(actions_->colorMaps, &QActionGroup::triggered, this, [this](const QAction* action) {
    ViewSettings view = workspace_.view();
    view.colorMap = action->data().toString().toStdString();
    workspace_.setView(view);
  });
  connect(actions_->themes, &QActionGroup::triggered, this, [this](const QAction* action) {
    settings_.theme.reset();
    if (action->data().isValid()) {
      settings_.theme = static_cast<ViewSettings::Theme>(action->data().toInt());
    }
    chooseTheme(settings_.theme);
    showModel();
  });
}

void MainWindow::restore() {
  resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
  if (!settings_.geometry.isEmpty()) restoreGeometry(settings_.geometry);
  arranged_ = !settings_.layout.isEmpty() && restoreState(settings_.layout, layoutVersion);
  ViewSettings view = settings_.view;
  if (options_.colorMap) {
    const ColorMap& chosen = colorMap(*options_.colorMap);
    (chosen.diverging ? view.divergingColorMap : view.colorMap) = chosen.name;
  }
  workspace_.setView(view);
  workspace_.setIncludesMean(settings_.includesMean);
  workspace_.setFirstInputSize(options_.inputSize);
  workspace_.setFirstLayer(options_.layer);
  if (options_.direction) workspace_.setDirection(*options_.direction);
}

void MainWindow::openFirst() {
  const std::string picture =
      options_.picturePath.empty() ? options_.bundledPicture : options_.picturePath;
  if (!picture.empty()) workspace_.openPicture(QString::fromStdString(picture));
  if (!options_.models.empty()) {
    workspace_.openModel(options_.models.front());
  } else if (!options_.bundledModel.empty()) {
    ModelRequest request;
    request.path = options_.bundledModel;
    workspace_.openModel(request);
  }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  // Sizes of docks hold only once the window has its own.
  if (!arranged_) {
    arranged_ = true;
    docks_->arrange();
  }
}

void MainWindow::closeEvent(QCloseEvent* event) {
  settings_.geometry = saveGeometry();
  settings_.layout = saveState(layoutVersion);
  settings_.view = workspace_.view();
  settings_.includesMean = workspace_.includesMean();
  writeWindowSettings(settings_);
  workspace_.cancel();
  QMainWindow::closeEvent(event);
}

void MainWindow::chooseTheme(std::optional<ViewSettings::Theme> theme) {
  applyTheme(*qApp, theme.value_or(systemTheme_));
  for (QAction* action : actions_->themes->actions()) {
    const bool follows = !action->data().isValid();
    action->setChecked(theme ? !follows && action->data().toInt() == static_cast<int>(*theme)
                             : follows);
  }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (FileExchange::canOpen(*event->mimeData())) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  files_->open(*event->mimeData());
  event->acceptProposedAction();
}

void MainWindow::showAbout() {
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(tr("About Softscope"));
  box->setIconPixmap(windowIcon().pixmap(64, 64));
  box->setText(
      tr("<h3>Softscope</h3>"
         "<p>A workbench for looking inside softmax-free and linear-attention vision "
         "models.</p><p>Free software under the GNU General Public License, version 3 "
         "or later.</p>"));
  box->setStandardButtons(QMessageBox::Close);
  box->open();
}

void MainWindow::showPicture() {
  pictureView_->setPicture(workspace_.pictureImage());
  const Picture* picture = workspace_.picture();
  if (picture && QFileInfo::exists(QString::fromStdString(picture->path)) &&
      picture->path != options_.bundledPicture) {
    files_->rememberPicture(QString::fromStdString(picture->path));
  }
  showLayer();
}

void MainWindow::rememberModel() {
  const std::string& path = workspace_.current()->request.path;
  if (path != options_.bundledModel) files_->rememberModel(QString::fromStdString(path));
}

void MainWindow::showModelPanel() {
  const OpenedModel* opened = workspace_.current();
  if (!opened) {
    modelPanel_->clearModel();
    return;
  }
  modelPanel_->setModel(opened->name(), opened->summary(), opened->inputSize,
                        opened->request.device);
  modelPanel_->setRun(opened->inspection ? runText(*opened->inspection) : QString());
}

void MainWindow::showModel() {
  const OpenedModel* opened = workspace_.current();
  showModelPanel();
  if (opened) {
    layers_->setLayers(opened->summary(), opened->inspection.get());
  } else {
    layers_->clearLayers();
  }
  seenPicture_ = std::make_shared<const CroppedPicture>(
      workspace_.pictureImage(), opened ? opened->region : PictureRegion{0, 0, 1, 1});
  showPredictions();
  showLayer();
}

void MainWindow::showLayer() {
  const OpenedModel* opened = workspace_.current();
  if (opened) layers_->setCurrentLayer(opened->layer);
  QString title = QStringLiteral("Softscope");
  if (opened) title.prepend(opened->name() + QStringLiteral(" — "));
  if (const Picture* picture = workspace_.picture()) {
    const QString name = QFileInfo(QString::fromStdString(picture->path)).fileName();
    if (!name.isEmpty()) title.prepend(name + QStringLiteral(" — "));
  }
  setWindowTitle(title);
  showEmptyState();
  showHeads();
}

void MainWindow::showEmptyState() {
  const OpenedModel* opened = workspace_.current();
  const bool picture = workspace_.picture() != nullptr;
  const bool ready = opened && opened->shownLayer();
  pages_->setCurrentIndex(ready ? 1 : 0);
  if (ready) return;
  empty_->setOffers(!picture && !workspace_.isBusy(), !opened && !workspace_.isBusy(),
                    picture && opened && !workspace_.isBusy());
  if (workspace_.isBusy()) {
    empty_->setTexts(tr("One moment"), tr("The model is looking at the picture."));
  } else if (!picture && !opened) {
    empty_->setTexts(tr("Nothing is open"),
                     tr("Open a picture and a model, or drop them anywhere in this window."));
  } else if (!picture) {
    empty_->setTexts(tr("The model has nothing to look at"),
                     tr("Open a picture, or drop or paste one here."));
  } else if (!opened) {
    empty_->setTexts(tr("Nobody looks at the picture"),
                     tr("Open a checkpoint as its authors published it, or drop one here."));
  } else {
    empty_->setTexts(tr("The model has not seen this picture"),
                     tr("The run was cancelled, or failed."));
  }
}

void MainWindow::showHeads() {
  headsDue_.stop();
  pictureView_->setGrid(workspace_.extent(), workspace_.grid());
  pictureView_->setQuery(workspace_.query(), workspace_.grid() && !workspace_.asksClassToken());
  heads_->setPanels(headPanels(workspace_), seenPicture_);
  header_->setDirection(workspace_.direction());
  updateActions();

  const OpenedModel* opened = workspace_.current();
  const LayerInspection* layer = opened ? opened->shownLayer() : nullptr;
  if (!layer) return;
  const AttentionDescription& attention = layer->attention->description();
  const QString note = opened->summary().counterfactual ? tr("not what was trained") : QString();
  QString question = questionText(attention, workspace_.direction(), workspace_.token());
  question[0] = question[0].toUpper();
  header_->setTexts(QString::fromStdString(layer->name), layerText(attention, note), question);
  const auto& all = opened->inspection->layers;
  header_->setSteps(layer != &all.front(), layer != &all.back());
}

void MainWindow::showView() {
  const ViewSettings& view = workspace_.view();
  viewPanel_->setView(view, workspace_.includesMean());
  actions_->smooth->setChecked(view.smooth);
  for (QAction* action : actions_->colorMaps->actions()) {
    action->setChecked(action->data().toString().toStdString() == view.colorMap);
  }
  showHeads();
}

void MainWindow::showPredictions() {
  const OpenedModel* opened = workspace_.current();
  if (!opened || !opened->inspection) {
    predictions_->setMessage(tr("What the model takes the picture for."));
  } else if (opened->inspection->logits.empty()) {
    predictions_->setMessage(tr("No predictions: this is a backbone."));
  } else {
    predictions_->setLines(predictionLines(*opened));
  }
}

void MainWindow::updateActions() {
  const OpenedModel* opened = workspace_.current();
  const bool shown = workspace_.canExport();
  actions_->exportFigure->setEnabled(shown);
  actions_->copy->setEnabled(shown);
  actions_->undo->setEnabled(workspace_.canUndo());
  actions_->redo->setEnabled(workspace_.canRedo());
  actions_->previousLayer->setEnabled(opened && opened->inspection);
  actions_->nextLayer->setEnabled(opened && opened->inspection);
  actions_->swapDirection->setChecked(workspace_.direction() == Direction::Columns);
  actions_->classToken->setEnabled(workspace_.hasClassToken());
  actions_->classToken->setChecked(workspace_.asksClassToken());
}

void MainWindow::applyFirstQuery() {
  const OpenedModel* opened = workspace_.current();
  if (firstQueryAsked_ || !opened || !opened->inspection) return;
  firstQueryAsked_ = true;
  if (options_.query) workspace_.setQuery(*options_.query);
  if (options_.patch) workspace_.setPatch(*options_.patch);
}

void MainWindow::askAt(const QPointF& place, bool dragged) {
  const PictureExtent seen = workspace_.extent();
  const PictureQuery query{(seen.region.x + place.x() * seen.region.width) / seen.width,
                           (seen.region.y + place.y() * seen.region.height) / seen.height, false};
  if (dragged) {
    workspace_.dragQuery(query);
  } else {
    workspace_.setQuery(query);
  }
}

void MainWindow::readOut(int panel, int row, int column) {
  const HeadPanel& shown = heads_->view(panel).panel();
  const QString kind = workspace_.direction() == Direction::Rows ? tr("key") : tr("query");
  const QString place = shown.values.onPicture ? QStringLiteral("(%1, %2)").arg(row).arg(column)
                                               : QString::number(column);
  readout_->setText(QStringLiteral("%1, %2 %3: %4")
                        .arg(shown.title, kind, place, valueText(shown.values.at(row, column))));
}

void MainWindow::changeOpacity(double by) {
  ViewSettings view = workspace_.view();
  view.opacity = std::clamp(view.opacity + by, 0.0, 1.0);
  workspace_.setView(view);
}

}  // namespace softscope
