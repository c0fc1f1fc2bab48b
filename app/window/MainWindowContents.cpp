// What the window shows of its workspace.

#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "app/window/WindowActions.h"
#include "app/window/WorkspaceFiles.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/panels/PredictionList.h"
#include "widgets/panels/ViewPanel.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QTabBar>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

std::vector<PredictionList::Line> predictionLines(const OpenedModel& opened) {
  constexpr int shown = 5;
  std::vector<PredictionList::Line> lines;
  for (const Prediction& prediction : topPredictions(opened.inspection->logits, shown)) {
    lines.push_back({className(opened.summary(), prediction.classIndex), prediction.probability});
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

void MainWindow::showPicture() {
  pictureView_->setPicture(workspace_.picture().image());
  const Picture* picture = workspace_.picture().get();
  if (picture && QFileInfo::exists(QString::fromStdString(picture->path)) &&
      picture->path != options_.bundledPicture) {
    files_->rememberPicture(QString::fromStdString(picture->path));
  }
  showLayer();
}

void MainWindow::rememberModel() {
  if (!workspace_.models().current()) return;
  const std::string& path = workspace_.models().current()->request.path;
  if (path != options_.bundledModel) files_->rememberModel(QString::fromStdString(path));
}

void MainWindow::showModelPanel() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened) {
    modelPanel_->clearModel();
    return;
  }
  modelPanel_->setModel(opened->name(), opened->summary(), opened->wantedSize(),
                        opened->request.device);
  modelPanel_->setRun(opened->inspection ? runText(*opened->inspection) : QString());
}

void MainWindow::showModel() {
  const OpenedModel* opened = workspace_.models().current();
  showModelPanel();
  if (opened) {
    layers_->setLayers(opened->summary(), opened->inspection.get());
  } else {
    layers_->clearLayers();
  }
  for (Page* page : std::as_const(pagesByName_)) page->takePicture();
  showPredictions();
  askMechanism();
  showLayer();
}

void MainWindow::showLayer() {
  const OpenedModel* opened = workspace_.models().current();
  if (opened) layers_->setCurrentLayer(opened->layer);
  showTitle();
  showPage();
}

void MainWindow::showTitle() {
  QStringList parts;
  if (const Picture* picture = workspace_.picture().get()) {
    parts += QFileInfo(QString::fromStdString(picture->path)).fileName();
  }
  const OpenedModel* opened = workspace_.models().current();
  if (opened) parts += opened->name();
  if (!workspaceFiles_->path().isEmpty()) {
    parts += QFileInfo(workspaceFiles_->path()).completeBaseName();
  }
  parts += QStringLiteral("Softscope");
  parts.removeAll(QString());
  setWindowTitle(parts.join(QStringLiteral(" — ")));
}

void MainWindow::showPage() {
  const QString& name = workspace_.page();
  for (int i = 0; i < tabs_->count(); ++i) {
    if (tabs_->tabData(i).toString() == name) tabs_->setCurrentIndex(i);
  }
  for (QAction* action : actions_->pages->actions()) {
    action->setChecked(action->data().toString() == name);
  }
  Page& page = chosenPage();
  pages_->setCurrentWidget(page.isReady() ? static_cast<QWidget*>(&page) : empty_);
  if (!page.isReady()) showEmptyState();
  showQuery();
}

Page& MainWindow::chosenPage() const {
  Page* page = pagesByName_.value(workspace_.page());
  return page ? *page : *heads_;
}

Page* MainWindow::shownPage() const {
  Page& page = chosenPage();
  return pages_->currentWidget() == &page ? &page : nullptr;
}

bool MainWindow::canExport() const {
  const Page* page = shownPage();
  return page && page->hasFigure();
}

void MainWindow::askMechanism() {
  const OpenedModel* opened = workspace_.models().current();
  OpenQuestions open;
  if (opened && !unasked_.contains(opened->fingerprint)) {
    open = openQuestions(opened->request, opened->summary());
  }
  if (open.empty()) {
    question_->hide();
  } else {
    question_->ask(opened->name(), QString::fromStdString(opened->summary().reason), open);
  }
}

void MainWindow::showEmptyState() {
  const OpenedModel* opened = workspace_.models().current();
  const bool picture = workspace_.picture().get() != nullptr;
  empty_->setOffers(!picture && !workspace_.worker().isBusy(),
                    !opened && !workspace_.worker().isBusy(),
                    picture && opened && !workspace_.worker().isBusy());
  if (workspace_.worker().isBusy()) {
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
    empty_->setTexts(
        tr("The model has not seen this picture"),
        opened->failure.isEmpty() ? tr("The run was cancelled, or failed.") : opened->failure);
  }
}

void MainWindow::showQuery() {
  queryDue_.stop();
  std::vector<MarkedQuery> pins = workspace_.queries().marked();
  pins.resize(workspace_.queries().pins().size());
  pins_->setPins(pins);
  pictureView_->setPins(std::move(pins));
  pictureView_->setGrid(workspace_.queries().extent(), workspace_.queries().grid());
  pictureView_->setQuery(workspace_.queries().query(),
                         workspace_.queries().grid() && !workspace_.queries().asksClassToken());
  if (Page* page = shownPage()) page->showNow();
  updateActions();
}

void MainWindow::showView() {
  const ViewSettings& view = workspace_.view().settings();
  viewPanel_->setView(view, workspace_.view().includesMean(), workspace_.view().includesLargest());
  actions_->smooth->setChecked(view.smooth);
  for (QAction* action : actions_->colorMaps->actions()) {
    action->setChecked(action->data().toString().toStdString() == view.colorMap);
  }
  pictureView_->setVisiblePart(workspace_.view().visible());
  showQuery();
}

void MainWindow::showPredictions() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || !opened->inspection) {
    predictions_->setMessage(tr("What the model takes the picture for."));
  } else if (opened->inspection->logits.empty()) {
    predictions_->setMessage(tr("No predictions: this is a backbone."));
  } else {
    predictions_->setLines(predictionLines(*opened));
  }
}

void MainWindow::updateActions() {
  const OpenedModel* opened = workspace_.models().current();
  const bool shown = workspace_.models().shownLayer();
  const bool exports = canExport();
  for (QAction* action : {actions_->exportFigure, actions_->copy, actions_->copyCommand,
                          actions_->saveNumbers, actions_->copyNumbers}) {
    action->setEnabled(exports);
  }
  const int models = static_cast<int>(workspace_.models().all().size());
  actions_->saveWorkspace->setEnabled(workspace_.picture().get() || opened);
  actions_->saveWorkspaceAs->setEnabled(workspace_.picture().get() || opened);
  actions_->closeModel->setEnabled(opened);
  actions_->previousModel->setEnabled(workspace_.models().currentIndex() > 0);
  actions_->nextModel->setEnabled(workspace_.models().currentIndex() + 1 < models);
  actions_->pin->setEnabled(workspace_.queries().grid().has_value());
  actions_->clearPins->setEnabled(!workspace_.queries().pins().empty());
  actions_->zoomIn->setEnabled(shown);
  actions_->zoomOut->setEnabled(workspace_.view().visible().width() < 1);
  actions_->zoomReset->setEnabled(workspace_.view().visible().width() < 1);
  actions_->undo->setEnabled(workspace_.queries().canUndo());
  actions_->redo->setEnabled(workspace_.queries().canRedo());
  actions_->previousLayer->setEnabled(opened && opened->inspection);
  actions_->nextLayer->setEnabled(opened && opened->inspection);
  actions_->previousHead->setEnabled(opened && opened->inspection);
  actions_->nextHead->setEnabled(opened && opened->inspection);
  actions_->allHeads->setEnabled(workspace_.view().onlyHead().has_value());
  actions_->swapDirection->setChecked(workspace_.layers().direction() == Direction::Columns);
  actions_->classToken->setEnabled(workspace_.queries().hasClassToken());
  actions_->classToken->setChecked(workspace_.queries().asksClassToken());
}

}  // namespace softscope
