#include "app/window/WorkspaceActions.h"

#include "app/window/WindowActions.h"
#include "widgets/paint/PanelText.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>

#include <algorithm>

namespace softscope {
namespace {

constexpr double opacityStep = 0.05;
constexpr double zoomStep = 1.5;

void changeView(ViewChoice& choice, const auto& change) {
  ViewSettings view = choice.settings();
  change(view);
  choice.set(view);
}

}  // namespace

WorkspaceActions::WorkspaceActions(WindowActions& actions, Workspace& workspace, QObject* parent)
    : QObject(parent), actions_(actions), workspace_(workspace) {
  connectQueries();
  connectModels();
  connectHeads();
  connectLooks();
  connect(actions.cancel, &QAction::triggered, this, [this] {
    if (workspace_.worker().isBusy()) {
      workspace_.queue().cancel();
    } else if (workspace_.view().onlyHead() && workspace_.page() == QLatin1String("heads")) {
      workspace_.view().setOnlyHead({});
    } else {
      Q_EMIT nothingToCancel();
    }
  });
}

void WorkspaceActions::connectQueries() {
  AskedQueries& queries = workspace_.queries();
  connect(actions_.undo, &QAction::triggered, &queries, &AskedQueries::undo);
  connect(actions_.redo, &QAction::triggered, &queries, &AskedQueries::redo);
  connect(actions_.pin, &QAction::triggered, &queries,
          [&queries] { queries.pin(queries.query()); });
  connect(actions_.clearPins, &QAction::triggered, &queries, &AskedQueries::clearPins);
  connect(actions_.classToken, &QAction::triggered, &queries, &AskedQueries::askNextPrefixToken);
  ShownLayers& layers = workspace_.layers();
  connect(actions_.swapDirection, &QAction::triggered, &layers, [&layers](bool columns) {
    layers.setDirection(columns ? Direction::Columns : Direction::Rows);
  });
}

void WorkspaceActions::connectModels() {
  OpenModels& models = workspace_.models();
  ShownLayers& layers = workspace_.layers();
  connect(actions_.closeModel, &QAction::triggered, this,
          [this] { workspace_.queue().close(workspace_.models().currentIndex()); });
  connect(actions_.renameModel, &QAction::triggered, this, [this] {
    const OpenModels& open = workspace_.models();
    if (open.current()) Q_EMIT renameWanted(open.currentIndex());
  });
  connect(actions_.previousModel, &QAction::triggered, &models,
          [&models] { models.setCurrent(models.currentIndex() - 1); });
  connect(actions_.nextModel, &QAction::triggered, &models,
          [&models] { models.setCurrent(models.currentIndex() + 1); });
  connect(actions_.flipModel, &QAction::triggered, &models, &OpenModels::flip);
  connect(actions_.previousLayer, &QAction::triggered, &layers, [&layers] { layers.step(-1); });
  connect(actions_.nextLayer, &QAction::triggered, &layers, [&layers] { layers.step(1); });
}

void WorkspaceActions::connectHeads() {
  ViewChoice& view = workspace_.view();
  connect(actions_.previousHead, &QAction::triggered, &view, [&view] { view.stepHead(-1); });
  connect(actions_.nextHead, &QAction::triggered, &view, [&view] { view.stepHead(1); });
  connect(actions_.allHeads, &QAction::triggered, &view, [&view] { view.setOnlyHead({}); });
}

void WorkspaceActions::connectLooks() {
  ViewChoice& view = workspace_.view();
  connect(actions_.zoomIn, &QAction::triggered, this, [this] { zoomAbout(zoomStep); });
  connect(actions_.zoomOut, &QAction::triggered, this, [this] { zoomAbout(1 / zoomStep); });
  connect(actions_.zoomReset, &QAction::triggered, this, [this, &view] {
    view.setVisible({0, 0, 1, 1});
    Q_EMIT wholeWanted();
  });
  connect(actions_.moreOpaque, &QAction::triggered, this, [this] { fade(opacityStep); });
  connect(actions_.lessOpaque, &QAction::triggered, this, [this] { fade(-opacityStep); });
  connect(actions_.smooth, &QAction::triggered, &view, [&view](bool smooth) {
    changeView(view, [smooth](ViewSettings& settings) { settings.smooth = smooth; });
  });
  connect(actions_.colorMaps, &QActionGroup::triggered, &view, [&view](const QAction* action) {
    changeView(view, [action](ViewSettings& settings) {
      settings.colorMap = action->data().toString().toStdString();
    });
  });
}

void WorkspaceActions::zoomAbout(double factor) {
  const AskedQueries& queries = workspace_.queries();
  const QRectF& visible = workspace_.view().visible();
  QPointF about = visible.center();
  const QPointF asked = placeInRegion(queries.extent(), queries.query());
  if (queries.asksPatch() && visible.contains(asked)) about = asked;
  workspace_.view().zoom(factor, about);
}

void WorkspaceActions::fade(double by) {
  changeView(workspace_.view(), [by](ViewSettings& settings) {
    settings.opacity = std::clamp(settings.opacity + by, 0.0, 1.0);
  });
}

void WorkspaceActions::show() {
  showQueries();
  showModels();
  showView();
}

void WorkspaceActions::showQueries() {
  const AskedQueries& queries = workspace_.queries();
  actions_.pin->setEnabled(queries.grid().has_value());
  actions_.clearPins->setEnabled(!queries.pins().empty());
  actions_.undo->setEnabled(queries.canUndo());
  actions_.redo->setEnabled(queries.canRedo());
  actions_.swapDirection->setChecked(workspace_.layers().direction() == Direction::Columns);
  actions_.classToken->setEnabled(queries.prefixTokens() > 0);
  actions_.classToken->setChecked(queries.asksPrefixToken());
}

void WorkspaceActions::showModels() {
  const OpenModels& models = workspace_.models();
  const OpenedModel* opened = models.current();
  const bool something = workspace_.picture().get() || opened;
  actions_.saveWorkspace->setEnabled(something);
  actions_.saveWorkspaceAs->setEnabled(something);
  actions_.closeModel->setEnabled(opened);
  actions_.renameModel->setEnabled(opened);
  actions_.nameClasses->setEnabled(opened && opened->summary().classes > 0 &&
                                   !opened->summary().isLive);
  actions_.exportInteractive->setEnabled(models.shownLayer());
  actions_.exportSweep->setEnabled(models.shownLayer());
  actions_.previousModel->setEnabled(models.currentIndex() > 0);
  actions_.nextModel->setEnabled(models.currentIndex() + 1 < static_cast<int>(models.all().size()));
  actions_.flipModel->setEnabled(models.all().size() > 1);
  for (QAction* action :
       {actions_.previousLayer, actions_.nextLayer, actions_.previousHead, actions_.nextHead}) {
    action->setEnabled(opened && opened->inspection);
  }
}

void WorkspaceActions::showView() {
  const ViewChoice& view = workspace_.view();
  const bool closer = view.visible().width() < 1;
  actions_.zoomIn->setEnabled(workspace_.models().shownLayer());
  actions_.zoomOut->setEnabled(closer);
  actions_.allHeads->setEnabled(view.onlyHead().has_value());
  actions_.smooth->setChecked(view.settings().smooth);
  for (QAction* action : actions_.colorMaps->actions()) {
    action->setChecked(action->data().toString().toStdString() == view.settings().colorMap);
  }
}

}  // namespace softscope
