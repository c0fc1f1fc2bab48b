#include "app/window/WorkspaceDisplay.h"

#include "app/window/ModelInquiry.h"
#include "app/window/WindowActions.h"
#include "app/window/WorkspaceActions.h"
#include "app/window/contents/DockKeys.h"
#include "app/window/contents/FieldKeys.h"
#include "app/window/contents/HintStrip.h"
#include "app/window/contents/JobList.h"
#include "app/window/contents/PageBook.h"
#include "app/window/contents/SidePanels.h"
#include "app/window/contents/StatusLine.h"
#include "app/window/contents/WindowDocks.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/paint/ValueText.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QDesktopServices>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>
#include <QtWidgets/QVBoxLayout>

namespace softscope {

namespace {

/// Asks for a model's new name; an empty answer names it after its file again.
void askForModelName(QWidget& window, OpenModels& models, int index) {
  if (index < 0 || index >= static_cast<int>(models.all().size())) return;
  const auto text = [](const char* words) {
    return QCoreApplication::translate("ModelNameQuestion", words);
  };
  const OpenedModel& model = models.all()[static_cast<std::size_t>(index)];
  const int id = model.id;
  bool accepted = false;
  const QString name = QInputDialog::getText(
      &window, text("Rename the model"),
      text("What %1 is called in lists, figures and tables; empty: as its file")
          .arg(QString::fromStdString(model.request.path).section(u'/', -1)),
      QLineEdit::Normal, model.name(), &accepted);
  if (!accepted) return;
  // The model may have moved or been closed while the question was open.
  for (std::size_t i = 0; i < models.all().size(); ++i) {
    if (models.all()[i].id == id) models.rename(static_cast<int>(i), name);
  }
}

}  // namespace

WorkspaceDisplay::WorkspaceDisplay(QMainWindow& window, Workspace& workspace,
                                   WindowActions& actions, const PageSources& sources)
    : workspace_(workspace),
      actions_(actions),
      panels_(new SidePanels(workspace, this)),
      status_(new StatusLine(workspace.worker())),
      workspaceActions_(new WorkspaceActions(actions, workspace, this)) {
  fillCentre(window, sources);
  status_->addPermanentWidget(new JobList(workspace));
  window.setStatusBar(status_);
  docks_ = std::make_unique<WindowDocks>(window, panels_->contents(), *actions.panels);
  new DockKeys(window, [this] { pages_->takeKeys(); });
  connectParts();
  followWorkspace();
}

WorkspaceDisplay::~WorkspaceDisplay() = default;

void WorkspaceDisplay::fillCentre(QMainWindow& window, const PageSources& sources) {
  auto* centre = new QWidget;
  banner_ = new ErrorBanner(centre);
  auto* question = new MechanismQuestion;
  new ModelInquiry(*question, workspace_, this);
  pages_ = new PageBook(workspace_, sources, *actions_.pages);
  auto* column = centre_ = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(question);
  column->addWidget(pages_, 1);
  window.setCentralWidget(centre);
  new FieldKeys(window, [this] { pages_->takeKeys(); });
}

void WorkspaceDisplay::connectParts() {
  connect(pages_, &PageBook::readOut, status_, &StatusLine::readOut);
  connect(pages_, &PageBook::panelMenuWanted, this, &WorkspaceDisplay::showPanelMenu);
  connect(pages_, &PageBook::tabMenuWanted, this, &WorkspaceDisplay::showTabMenu);
  connect(pages_, &PageBook::renameWanted, this,
          [this](int model) { askForModelName(*banner_->window(), workspace_.models(), model); });
  connect(workspaceActions_, &WorkspaceActions::wholeWanted, this, [this] {
    if (Page* page = pages_->shownPage()) page->showWhole();
  });
  connect(actions_.explain, &QAction::toggled, pages_, &PageBook::setExplained);
  connect(pages_, &PageBook::explainedChanged, actions_.explain, &QAction::setChecked);
  connect(pages_, &PageBook::pointedAt, panels_, &SidePanels::setPointed);
  connect(pages_, &PageBook::followedViewChanged, this, &WorkspaceDisplay::showFollowedView);
  connect(panels_, &SidePanels::readOut, status_, &StatusLine::readOut);
  connect(panels_, &SidePanels::refused, this, &WorkspaceDisplay::fail);
  connect(status_, &StatusLine::cancelled, &workspace_.queue(), &ModelQueue::cancel);
  connect(status_, &StatusLine::openWanted, this, [this](const QUrl& place) {
    if (!QDesktopServices::openUrl(place)) {
      fail(tr("No installed program opens %1").arg(place.toLocalFile()));
    }
  });
  connect(workspaceActions_, &WorkspaceActions::renameWanted, this,
          [this](int model) { askForModelName(*banner_->window(), workspace_.models(), model); });
  connect(workspaceActions_, &WorkspaceActions::nothingToCancel, banner_, &ErrorBanner::dismiss);
}

void WorkspaceDisplay::followWorkspace() {
  const OpenModels& models = workspace_.models();
  connect(&workspace_.picture(), &OpenedPicture::changed, this, &WorkspaceDisplay::showLayer);
  connect(&models, &OpenModels::inspectionChanged, this, &WorkspaceDisplay::showModel);
  connect(&models, &OpenModels::layerChanged, this, &WorkspaceDisplay::showLayer);
  // Before the pages, which may ask for more work as soon as some has ended.
  connect(&workspace_.worker(), &Worker::busyChanged, banner_, &ErrorBanner::setBusy);
  connect(&workspace_.worker(), &Worker::busyChanged, this, &WorkspaceDisplay::showLayer);
  const auto show = &WorkspaceDisplay::showQueries;
  connect(&models, &OpenModels::marksChanged, this, show);
  connect(&workspace_.view(), &ViewChoice::changed, this, show);
  connect(&workspace_.comparison(), &ComparisonChoice::changed, this, show);
  connect(&workspace_.analysis(), &AnalysisChoice::changed, this, show);
  connect(&workspace_, &Workspace::pageChanged, this, show);
  // The status line speaks of the page that it was said on.
  connect(&workspace_, &Workspace::pageChanged, status_, &StatusLine::clearMessage);
  connect(&workspace_.picture(), &OpenedPicture::changed, this, [this] {
    if (workspace_.picture().get()) banner_->noteSuccess();
  });
  connect(&models, &OpenModels::inspectionChanged, this, [this] {
    // A model that only came to the front has seen nothing new.
    const OpenedModel* current = workspace_.models().current();
    const auto seen = current ? current->inspection : nullptr;
    const bool isNew = seen && seen != seen_.lock();
    seen_ = seen;
    if (isNew) banner_->noteSuccess();
  });
  connect(&workspace_, &Workspace::failed, banner_, &ErrorBanner::showError);
  const Jobs& jobs = workspace_.jobs();
  connect(&jobs, &Jobs::changed, this, show);
  connect(&jobs, &Jobs::progressed, this, [this](const QString& name) {
    Page* page = workspace_.page() == name ? pages_->shownPage() : nullptr;
    if (page) page->showNow();
  });
  queryDue_.setSingleShot(true);
  queryDue_.setInterval(0);
  connect(&workspace_.queries(), &AskedQueries::changed, &queryDue_, qOverload<>(&QTimer::start));
  connect(&queryDue_, &QTimer::timeout, this, show);
}

void WorkspaceDisplay::showFirstSteps() {
  steps_ = new HintStrip(workspace_, *actions_.explain);
  connect(steps_, &HintStrip::done, this, &WorkspaceDisplay::firstStepsDone);
  // The strip is below the pages, so that what was clicked stays in place when the strip
  // disappears.
  centre_->addWidget(steps_);
  const Page* page = pages_->shownPage();
  steps_->setUseful(page && page->asksOnClick());
}

void WorkspaceDisplay::showPanelMenu(const PanelUnderPointer& under) {
  QMenu menu;
  const QAction* copyValue = nullptr;
  const QAction* pin = nullptr;
  const QAction* alone = nullptr;
  if (!under.value.isEmpty())
    copyValue = menu.addAction(tr("Copy the value %1").arg(typesetText(under.value.toStdString())));
  if (under.place) pin = menu.addAction(tr("Pin this patch"));
  if (under.head >= 0) alone = menu.addAction(tr("Show this head alone"));
  const QAction* save = menu.addAction(tr("Save this panel…"));
  menu.addSeparator();
  menu.addActions({actions_.copy, actions_.copyCommand, actions_.exportFigure});
  const QAction* chosen = menu.exec(under.globalPlace);
  if (!chosen) return;
  if (chosen == copyValue) QGuiApplication::clipboard()->setText(under.value);
  if (chosen == pin) workspace_.queries().pin(*under.place);
  if (chosen == alone) workspace_.view().setOnlyHead(under.head);
  if (chosen == save) Q_EMIT panelFileWanted(under.title, under.figure);
}

void WorkspaceDisplay::showTabMenu(const QPoint& globalPlace) {
  QMenu menu;
  menu.addAction(actions_.explain);
  menu.addSeparator();
  menu.addActions({actions_.copy, actions_.copyCommand, actions_.exportFigure, actions_.saveNumbers,
                   actions_.copyNumbers});
  menu.exec(globalPlace);
}

void WorkspaceDisplay::arrangePanels() {
  docks_->arrange();
}

void WorkspaceDisplay::fitLetters() {
  docks_->fitLetters();
}

void WorkspaceDisplay::fitWindow(const QSize& before) {
  docks_->fitWindow(before);
}

QStringList WorkspaceDisplay::draggedPanels() const {
  return docks_->dragged();
}

void WorkspaceDisplay::setDraggedPanels(const QStringList& names) {
  docks_->setDragged(names);
}

bool WorkspaceDisplay::arePanelsStacked() const {
  return docks_->areStackedForRoom();
}

void WorkspaceDisplay::setPanelsStacked(bool stacked) {
  docks_->setStackedForRoom(stacked);
}

void WorkspaceDisplay::say(const QString& message) {
  status_->say(message);
  banner_->noteSuccess();
}

void WorkspaceDisplay::fail(const QString& message) {
  banner_->showError(message, {});
}

void WorkspaceDisplay::offerFile(const QString& path) {
  status_->offerFile(path);
}

void WorkspaceDisplay::offerReturn() {
  status_->say(tr("What was open before is kept"));
  status_->offerAction(*actions_.goBack);
}

void WorkspaceDisplay::showAll() {
  panels_->showModel();
  panels_->showView();
  showModel();
}

void WorkspaceDisplay::showModel() {
  pages_->takePicture();
  showLayer();
  pages_->releaseResults();
}

void WorkspaceDisplay::showLayer() {
  pages_->showPage();
  showQueries();
}

void WorkspaceDisplay::showQueries() {
  queryDue_.stop();
  panels_->showQueries();
  Page* page = pages_->shownPage();
  if (steps_) steps_->setUseful(page && page->asksOnClick());
  if (page) page->showNow();
  showFollowedView();
  showActions();
}

void WorkspaceDisplay::showFollowedView() {
  panels_->setFollowedView(pages_->followedView());
}

void WorkspaceDisplay::showActions() {
  workspaceActions_->show();
  // Copying stays possible and says where there is nothing to copy: keys that do nothing would
  // leave what was copied before, as if it were what is shown.
  const bool exports = pages_->hasFigure();
  for (QAction* action : {actions_.exportFigure, actions_.saveNumbers}) {
    action->setEnabled(exports);
  }
}

}  // namespace softscope
