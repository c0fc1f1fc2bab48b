// Which signal of the window leads where.

#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "app/window/RememberedAnswers.h"
#include "app/window/ShortcutsPage.h"
#include "app/window/WindowActions.h"
#include "app/window/WindowDocks.h"
#include "app/window/WorkspaceFiles.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/controls/ProgressStrip.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/panels/ViewPanel.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AnalysisChoice.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ComparisonChoice.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QStatusBar>
#include <QtWidgets/QTabBar>

#include <algorithm>

namespace softscope {
namespace {

constexpr double opacityStep = 0.05;
constexpr double zoomStep = 1.5;

}  // namespace

void MainWindow::connectWorkspace() {
  connect(&workspace_.picture(), &OpenedPicture::changed, this, &MainWindow::showPicture);
  connect(&workspace_.models(), &OpenModels::changed, this, &MainWindow::rememberModel);
  connect(&workspace_.models(), &OpenModels::inspectionChanged, this, &MainWindow::showModel);
  connect(&workspace_.models(), &OpenModels::inspectionChanged, this, &MainWindow::applyFirstQuery);
  connect(&workspace_.models(), &OpenModels::layerChanged, this, &MainWindow::showLayer);
  connect(&workspace_.queries(), &AskedQueries::changed, &queryDue_, qOverload<>(&QTimer::start));
  connect(&workspace_.view(), &ViewChoice::changed, this, &MainWindow::showView);
  connect(&workspace_.comparison(), &ComparisonChoice::changed, this, &MainWindow::showQuery);
  connect(&workspace_.analysis(), &AnalysisChoice::changed, this, &MainWindow::showQuery);
  connect(&workspace_, &Workspace::pageChanged, this, &MainWindow::showPage);
  connect(&queryDue_, &QTimer::timeout, this, &MainWindow::showQuery);
  connect(&workspace_.worker(), &Worker::busyChanged, this, [this](bool busy) {
    progress_->setBusy(busy);
    // A combo shows what was asked for; after a failure, again what there is.
    if (!busy) showModelPanel();
    showLayer();
  });
  connect(&workspace_.worker(), &Worker::progressed, progress_, &ProgressStrip::setProgress);
  connect(&workspace_, &Workspace::failed, banner_, &ErrorBanner::showError);
}

void MainWindow::connectPanels() {
  connect(pictureView_, &PictureView::pressed, &workspace_.queries(), &AskedQueries::ask);
  connect(pictureView_, &PictureView::dragged, &workspace_.queries(), &AskedQueries::drag);
  connect(pictureView_, &PictureView::pinned, &workspace_.queries(), &AskedQueries::pin);
  connect(pictureView_, &PictureView::zoomed, &workspace_.view(), &ViewChoice::zoom);
  connect(pictureView_, &PictureView::stepped, &workspace_.queries(), &AskedQueries::step);
  connect(pictureView_, &PictureView::hovered, this, [this](const Patch& patch) {
    readOut(tr("patch (%1, %2)").arg(patch.row).arg(patch.column));
  });
  connect(pictureView_, &PictureView::left, this, [this] { readOut({}); });
  connect(pins_, &PinStrip::chosen, this, [this](int index) {
    workspace_.queries().ask(workspace_.queries().pins()[static_cast<std::size_t>(index)]);
  });
  connect(pins_, &PinStrip::removed, &workspace_.queries(), &AskedQueries::unpin);
  connect(pins_, &PinStrip::cleared, &workspace_.queries(), &AskedQueries::clearPins);
  connect(layers_, &LayerTree::layerChosen, &workspace_.layers(), &ShownLayers::choose);
  connect(modelPanel_, &ModelPanel::mechanismChosen, &workspace_.queue(),
          &ModelQueue::setAttention);
  connect(modelPanel_, &ModelPanel::headsChosen, &workspace_.queue(), &ModelQueue::setHeads);
  connect(modelPanel_, &ModelPanel::inputSizeChosen, &workspace_.queue(),
          &ModelQueue::setInputSize);
  connect(modelPanel_, &ModelPanel::deviceChosen, &workspace_.queue(), &ModelQueue::setDevice);
  connect(viewPanel_, &ViewPanel::viewChosen, &workspace_.view(), &ViewChoice::set);
  connect(viewPanel_, &ViewPanel::meanChosen, &workspace_.view(), &ViewChoice::setIncludesMean);
  connect(viewPanel_, &ViewPanel::largestChosen, &workspace_.view(),
          &ViewChoice::setIncludesLargest);
  connect(progress_, &ProgressStrip::cancelled, &workspace_.queue(), &ModelQueue::cancel);
}

void MainWindow::connectPages() {
  connect(question_, &MechanismQuestion::answered, this,
          [this](const QString& mechanism, int heads) {
            const QString& fingerprint = workspace_.models().current()->fingerprint;
            ModelRequest request = workspace_.models().current()->request;
            if (!mechanism.isEmpty()) {
              request.attention = mechanism.toStdString();
              rememberMechanism(fingerprint, *request.attention);
            }
            if (heads > 0) {
              request.heads = heads;
              rememberHeads(fingerprint, heads);
            }
            workspace_.queue().open(request);
          });
  connect(question_, &MechanismQuestion::dismissed, this,
          [this] { unasked_.insert(workspace_.models().current()->fingerprint); });
  connect(library_, &LibraryPage::openWanted, this, [this](const QString& path) {
    files_->openModelAt(path);
    workspace_.setPage(QStringLiteral("heads"));
  });
  connect(library_, &LibraryPage::openBesideWanted, this, [this](const QString& path) {
    files_->openBesideAt(path);
    workspace_.setPage(QStringLiteral("compare"));
  });
  connect(compare_, &ComparePage::modelWanted, files_.get(), &FileExchange::openBesideDialog);
  connect(tabs_, &QTabBar::currentChanged, this,
          [this](int index) { workspace_.setPage(tabs_->tabData(index).toString()); });
  connect(actions_->pages, &QActionGroup::triggered, this,
          [this](const QAction* action) { workspace_.setPage(action->data().toString()); });
  connect(empty_, &EmptyState::pictureWanted, files_.get(), &FileExchange::openPictureDialog);
  connect(empty_, &EmptyState::modelWanted, files_.get(), &FileExchange::openModelDialog);
  connect(empty_, &EmptyState::runWanted, &workspace_.queue(), &ModelQueue::inspectAgain);
  const auto fail = [this](const QString& message) { banner_->showError(message, {}); };
  connect(modelPanel_, &ModelPanel::inputSizeRefused, this, [fail](const QString& text) {
    fail(tr("“%1” is no size of an input; give N, H×W (sides from 8 to 8192) or full").arg(text));
  });
  connect(files_.get(), &FileExchange::failed, this, fail);
  connect(files_.get(), &FileExchange::said, this, &MainWindow::say);
  connect(figures_.get(), &FigureExport::failed, this, fail);
  connect(figures_.get(), &FigureExport::said, this, &MainWindow::say);
  connect(files_.get(), &FileExchange::workspaceOffered, workspaceFiles_.get(),
          &WorkspaceFiles::open);
  connect(workspaceFiles_.get(), &WorkspaceFiles::failed, this, fail);
  connect(workspaceFiles_.get(), &WorkspaceFiles::said, this, &MainWindow::say);
  connect(workspaceFiles_.get(), &WorkspaceFiles::pathChanged, this, &MainWindow::showTitle);
  connect(workspaceFiles_.get(), &WorkspaceFiles::filesMissing, this,
          [this](const QString& message, const QString& details) {
            banner_->showOffer(message, details, tr("Locate…"));
          });
  connect(banner_, &ErrorBanner::offerTaken, workspaceFiles_.get(), &WorkspaceFiles::locateMissing);
}

void MainWindow::connectActions() {
  const auto on = [this](QAction* action, auto function) {
    connect(action, &QAction::triggered, this, function);
  };
  on(actions_->quit, &QWidget::close);
  on(actions_->undo, [this] { workspace_.queries().undo(); });
  on(actions_->redo, [this] { workspace_.queries().redo(); });
  on(actions_->pin, [this] { workspace_.queries().pin(workspace_.queries().query()); });
  on(actions_->clearPins, [this] { workspace_.queries().clearPins(); });
  on(actions_->closeModel,
     [this] { workspace_.queue().close(workspace_.models().currentIndex()); });
  on(actions_->previousModel,
     [this] { workspace_.models().setCurrent(workspace_.models().currentIndex() - 1); });
  on(actions_->nextModel,
     [this] { workspace_.models().setCurrent(workspace_.models().currentIndex() + 1); });
  on(actions_->zoomIn, [this] { zoomAbout(zoomStep); });
  on(actions_->zoomOut, [this] { zoomAbout(1 / zoomStep); });
  on(actions_->zoomReset, [this] { workspace_.view().setVisible({0, 0, 1, 1}); });
  on(actions_->swapDirection, [this](bool columns) {
    workspace_.layers().setDirection(columns ? Direction::Columns : Direction::Rows);
  });
  on(actions_->classToken, [this] { workspace_.queries().toggleClassToken(); });
  on(actions_->previousLayer, [this] { workspace_.layers().step(-1); });
  on(actions_->nextLayer, [this] { workspace_.layers().step(1); });
  on(actions_->previousHead, [this] { workspace_.view().stepHead(-1); });
  on(actions_->nextHead, [this] { workspace_.view().stepHead(1); });
  on(actions_->allHeads, [this] { workspace_.view().setOnlyHead({}); });
  const auto fade = [this](double by) {
    changeView(
        [by](ViewSettings& view) { view.opacity = std::clamp(view.opacity + by, 0.0, 1.0); });
  };
  on(actions_->moreOpaque, [fade] { fade(opacityStep); });
  on(actions_->lessOpaque, [fade] { fade(-opacityStep); });
  on(actions_->smooth,
     [this](bool smooth) { changeView([smooth](ViewSettings& view) { view.smooth = smooth; }); });
  on(actions_->resetLayout, [this] { docks_->arrange(); });
  on(actions_->cancel, [this] {
    if (workspace_.worker().isBusy()) {
      workspace_.queue().cancel();
    } else {
      banner_->dismiss();
    }
  });
  on(actions_->shortcuts, [this] { showShortcutsPage(*this); });
  on(actions_->about, &MainWindow::showAbout);
  connect(actions_->colorMaps, &QActionGroup::triggered, this, [this](const QAction* action) {
    changeView(
        [action](ViewSettings& view) { view.colorMap = action->data().toString().toStdString(); });
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

}  // namespace softscope
