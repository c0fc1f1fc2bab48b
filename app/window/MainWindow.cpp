#include "app/window/MainWindow.h"

#include "app/window/Autosave.h"
#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/InitialContent.h"
#include "app/window/InteractiveExport.h"
#include "app/window/PagesExport.h"
#include "app/window/RecentMenu.h"
#include "app/window/SurveyFiles.h"
#include "app/window/SweepExport.h"
#include "app/window/WindowActions.h"
#include "app/window/WindowPreferences.h"
#include "app/window/WorkspaceDisplay.h"
#include "app/window/WorkspaceFiles.h"
#include "app/window/contents/CommandPalette.h"
#include "app/window/contents/PageBook.h"
#include "app/window/help/HelpDialogs.h"
#include "app/window/live/OpenSeries.h"
#include "app/window/live/PythonLink.h"
#include "app/window/live/StepBar.h"
#include "app/window/preferences/ActionShortcuts.h"
#include "app/window/settings/SettingsFile.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/controls/GuardedApplication.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/Theme.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtGui/QAction>
#include <QtGui/QDragEnterEvent>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTabBar>

#include <algorithm>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Returns true for a measurement that the user asked for and that ends with the window. Files that
/// are being written are jobs as well, and are asked about by their names.
bool isAskedMeasurement(const Jobs::Job& job) {
  return job.isActive() && !job.text.writesFile && !job.text.isStartedByPage;
}

/// Returns the measurements that end with the window, in words.
QStringList runningMeasurements(const Jobs& jobs) {
  QStringList running;
  for (const Jobs::Job& job : jobs.all()) {
    if (!isAskedMeasurement(job)) continue;
    const QString what = job.text.about.isEmpty()
                             ? job.text.what
                             : MainWindow::tr("%1 of %2").arg(job.text.what, job.text.about);
    running += job.state == Jobs::State::Running
                   ? MainWindow::tr("%1 (%2)").arg(what, jobStateText(job))
                   : what;
  }
  return running;
}

}  // namespace

MainWindow::MainWindow(Engine engine, WindowOptions options)
    : options_(std::move(options)),
      settings_(readWindowSettings()),
      remembered_(*this, settings_),
      view_(options_, settings_),
      workspace_(std::move(engine)),
      actions_(new WindowActions(*this)) {
  if (options_.onceThreadsRun) options_.onceThreadsRun();
  setObjectName(QStringLiteral("softscope"));
  setWindowIcon(programIcon());
  setAcceptDrops(true);
  build();
  connectMessages();
  connectPython();
  connectPages();
  connectWorkspaceFiles();
  connectSurveys();
  connectPreferences();
  connectActions();
  followWorkspace();
  remembered_.restoreSize();
  view_.restore(workspace_);
  display_->showAll();
  showTitle();
  if (!settings_.knowsFirstSteps) {
    display_->showFirstSteps();
    connect(display_.get(), &WorkspaceDisplay::firstStepsDone, this, [this] {
      settings_.knowsFirstSteps = true;
      remembered_.noteChange();
    });
  }
  connect(first_.get(), &InitialContent::opened, this, &MainWindow::begun);
  if (options_.opensOncePainted) {
    first_->openOncePainted(*this);
  } else {
    first_->open();
  }
  preferences_->tellMissing();
}

MainWindow::~MainWindow() = default;

bool MainWindow::hasBegun() const {
  return first_->hasOpened();
}

void MainWindow::build() {
  auto* steps = new StepBar(this);
  addToolBar(Qt::BottomToolBarArea, steps);
  steps->hide();
  series_ = std::make_unique<OpenSeries>(workspace_, *steps);
  files_ = std::make_unique<FileExchange>(*this, workspace_, *actions_, settings_, *series_);
  figures_ = std::make_unique<FigureExport>(*this, workspace_, *actions_, settings_);
  pagesExport_ = std::make_unique<PagesExport>(*this, workspace_, *actions_, *figures_, settings_);
  interactiveExport_ = std::make_unique<InteractiveExport>(*this, workspace_, *actions_, settings_);
  sweepExport_ = std::make_unique<SweepExport>(*this, workspace_, *actions_, settings_, *series_);
  files_->setLibrary(options_.library);
  workspaceFiles_ = std::make_unique<WorkspaceFiles>(*this, workspace_, *actions_, settings_);
  surveys_ = std::make_unique<SurveyFiles>(*this, workspace_, *actions_, settings_);
  autosave_ = std::make_unique<Autosave>(workspace_);
  autosave_->setDelay(settings_.preferences.autosave);
  const BundledContent bundled(options_.bundledPicture, options_.bundledModel);
  autosave_->setBundled(bundled);
  workspaceFiles_->setBundled(bundled);
  // Create the preferences before the widgets, which ask for colours and fonts when they are
  // created.
  preferences_ = std::make_unique<WindowPreferences>(options_, settings_, *actions_, workspace_);
  // A widget that gets a parent is polished by the style sheet again, with all that it holds, at
  // each level of the window: the style sheet is set once the window is whole.
  const QString styleSheet = qApp->styleSheet();
  qApp->setStyleSheet({});
  const PageSources sources{options_.library, [this] { return settings_.recentModels; }};
  display_ = std::make_unique<WorkspaceDisplay>(*this, workspace_, *actions_, sources);
  qApp->setStyleSheet(styleSheet);
  first_ = std::make_unique<InitialContent>(options_, workspace_, *workspaceFiles_, *surveys_,
                                            *series_, settings_.preferences.first);
  // The menus are complete now.
  shortcuts_ = std::make_unique<ActionShortcuts>(*menuBar());
  shortcuts_->read(QSettings());
  new ShortcutTips(*shortcuts_, shortcuts_.get());
}

void MainWindow::connectPreferences() {
  WindowPreferences* const preferences = preferences_.get();
  connect(preferences, &WindowPreferences::looksChanged, display_.get(),
          &WorkspaceDisplay::showAll);
  // Queued, so that the panels know by then how much more room they need.
  connect(preferences, &WindowPreferences::lettersChanged, display_.get(),
          &WorkspaceDisplay::fitLetters, Qt::QueuedConnection);
  connect(preferences, &WindowPreferences::said, display_.get(), &WorkspaceDisplay::say);
  connect(preferences, &WindowPreferences::autosaveChanged, autosave_.get(), &Autosave::setDelay);
  connect(shortcuts_.get(), &ActionShortcuts::changed, this, [this] {
    const bool kept = changeSettingsFile([this](QSettings& file) { shortcuts_->write(file); });
    if (!kept) preferences_->warnNotSaved();
  });
  const auto open = [this, preferences](PreferencesDialog::Part part) {
    return [this, preferences, part] { preferences->openDialog(*this, *shortcuts_, part); };
  };
  connect(actions_->preferences, &QAction::triggered, this, open(PreferencesDialog::Part::General));
  connect(actions_->editShortcuts, &QAction::triggered, this,
          open(PreferencesDialog::Part::Shortcuts));
}

void MainWindow::connectMessages() {
  const auto passOn = [this](auto& part) {
    using Part = std::decay_t<decltype(part)>;
    connect(&part, &Part::said, display_.get(), &WorkspaceDisplay::say);
    connect(&part, &Part::failed, display_.get(), &WorkspaceDisplay::fail);
  };
  passOn(*files_);
  passOn(*figures_);
  passOn(*pagesExport_);
  passOn(*interactiveExport_);
  passOn(*sweepExport_);
  passOn(*workspaceFiles_);
  passOn(*first_);
  if (auto* application = qobject_cast<GuardedApplication*>(QCoreApplication::instance())) {
    connect(application, &GuardedApplication::failed, display_.get(), &WorkspaceDisplay::fail);
  }
}

void MainWindow::connectPython() {
  if (!options_.live) return;
  python_ = std::make_unique<PythonLink>(options_.live, workspace_, *series_);
  connect(python_.get(), &PythonLink::said, display_.get(), &WorkspaceDisplay::say);
  connect(python_.get(), &PythonLink::failed, display_.get(), &WorkspaceDisplay::fail);
  connect(python_.get(), &PythonLink::connected, &display_->banner(), &ErrorBanner::dismiss);
  connect(this, &MainWindow::begun, python_.get(), &PythonLink::begin);
}

void MainWindow::connectPages() {
  PageBook* const pages = &display_->pages();
  FileExchange* const files = files_.get();
  connect(pages, &PageBook::pictureWanted, files, &FileExchange::openPictureDialog);
  connect(pages, &PageBook::modelWanted, files, &FileExchange::openModelDialog);
  connect(pages, &PageBook::classNamesWanted, files, &FileExchange::nameClassesDialog);
  connect(pages, &PageBook::pairWanted, files, &FileExchange::openPair);
  connect(pages, &PageBook::besideWanted, files, &FileExchange::openBesideDialog);
  connect(pages, &PageBook::libraryModelWanted, files, &FileExchange::openModelAt);
  connect(pages, &PageBook::libraryModelWantedBeside, files, &FileExchange::openBesideAt);
  // Queued, because what is said about the file takes an earlier offer back.
  connect(figures_.get(), &FigureExport::written, display_.get(), &WorkspaceDisplay::offerFile,
          Qt::QueuedConnection);
  connect(pagesExport_.get(), &PagesExport::written, display_.get(), &WorkspaceDisplay::offerFile,
          Qt::QueuedConnection);
  connect(interactiveExport_.get(), &InteractiveExport::written, display_.get(),
          &WorkspaceDisplay::offerFile, Qt::QueuedConnection);
  connect(sweepExport_.get(), &SweepExport::written, display_.get(), &WorkspaceDisplay::offerFile,
          Qt::QueuedConnection);
  figures_->setShown([pages] { return pages->figure(); });
  connect(display_.get(), &WorkspaceDisplay::panelFileWanted, figures_.get(),
          &FigureExport::savePanel);
}

void MainWindow::connectWorkspaceFiles() {
  WorkspaceFiles* const saved = workspaceFiles_.get();
  ErrorBanner* const banner = &display_->banner();
  connect(files_.get(), &FileExchange::workspaceOffered, saved, &WorkspaceFiles::open);
  connect(saved, &WorkspaceFiles::pathChanged, this, &MainWindow::showTitle);
  connect(&saved->unsaved(), &UnsavedChanges::changed, this,
          [this, saved] { setWindowModified(saved->unsaved().exist()); });
  connect(saved, &WorkspaceFiles::replaced, display_.get(), &WorkspaceDisplay::offerReturn);
  connect(saved, &WorkspaceFiles::filesMissing, banner,
          [this, banner, saved](const QString& message, const QString& details) {
            offer_ = [saved] { saved->locateMissing(); };
            banner->showOffer(message, details, tr("Locate…"));
          });
  connect(banner, &ErrorBanner::offerTaken, this, [this] {
    if (offer_) offer_();
  });
  connect(&workspace_, &Workspace::gpuMemoryLacked, banner,
          [this, banner](const QString& message, const QString& details) {
            offer_ = [this] { workspace_.queue().runOnCpu(); };
            banner->showOffer(message, details, tr("Run on the CPU"));
          });
  connect(&workspace_, &Workspace::pictureDiffers, banner,
          [this, banner](const QString& message, const QString& details) {
            offer_ = [this] { workspace_.queue().bringPicture(); };
            banner->showOffer(message, details, tr("Show its picture"));
          });
}

void MainWindow::connectSurveys() {
  SurveyFiles* const surveys = surveys_.get();
  PageBook* const pages = &display_->pages();
  ErrorBanner* const banner = &display_->banner();
  connect(files_.get(), &FileExchange::surveyOffered, surveys, &SurveyFiles::open);
  connect(pages, &PageBook::surveyWanted, surveys, &SurveyFiles::openDialog);
  connect(pages, &PageBook::newSurveyWanted, surveys, &SurveyFiles::openNewDialog);
  connect(pages, &PageBook::surveyPlaceWanted, this, [surveys, banner](const SurveyPlace& place) {
    // The message about another point no longer matters.
    banner->dismiss();
    surveys->show(place);
  });
  connect(surveys, &SurveyFiles::failed, display_.get(), &WorkspaceDisplay::fail);
  connect(surveys, &SurveyFiles::modelOffered, banner,
          [this, banner, surveys](const QString& message, const QString& offer) {
            offer_ = [surveys] { surveys->openOffered(); };
            banner->showOffer(message, {}, offer);
          });
}

void MainWindow::connectActions() {
  connect(actions_->quit, &QAction::triggered, this, &QWidget::close);
  connect(actions_->resetLayout, &QAction::triggered, display_.get(),
          &WorkspaceDisplay::arrangePanels);
  connect(actions_->fullScreen, &QAction::toggled, this, [this](bool full) {
    setWindowState(full ? windowState() | Qt::WindowFullScreen
                        : windowState() & ~Qt::WindowFullScreen);
  });
  connect(actions_->palette, &QAction::triggered, this, [this] {
    auto* palette = new CommandPalette(paletteEntries(*menuBar(), workspace_), this);
    palette->show();
  });
  const auto folderOf = [](const std::string& file) {
    return file.empty() ? QString() : QFileInfo(QString::fromStdString(file)).path();
  };
  offerSamples(*actions_->samples,
               {folderOf(options_.bundledPicture), folderOf(options_.bundledModel),
                [this](const QString& path) { workspace_.picture().open(path); },
                [this](const QString& path) { files_->openModelAt(path); }});
  connect(actions_->shortcuts, &QAction::triggered, this,
          [this] { showShortcutsPage(*this, *shortcuts_); });
  connect(actions_->about, &QAction::triggered, this, [this] { showAboutBox(*this); });
}

void MainWindow::followWorkspace() {
  connect(&remembered_, &RememberedWindow::due, this, &MainWindow::remember);
  // Opened files and the chosen appearance are remembered, too.
  connect(&workspace_, &Workspace::changed, &remembered_, &RememberedWindow::noteChange);
  connect(workspaceFiles_.get(), &WorkspaceFiles::pathChanged, &remembered_,
          &RememberedWindow::noteChange);
  connect(figures_.get(), &FigureExport::said, &remembered_, &RememberedWindow::noteChange);
  connect(&workspace_.picture(), &OpenedPicture::changed, this, &MainWindow::rememberPicture);
  connect(&workspace_.picture(), &OpenedPicture::changed, this, &MainWindow::showTitle);
  connect(&workspace_.models(), &OpenModels::changed, this, &MainWindow::rememberModel);
  connect(&workspace_.models(), &OpenModels::changed, this, &MainWindow::showTitle);
}

void MainWindow::remember() {
  WindowSettings settings = view_.remembered(workspace_);
  settings.draggedPanels = display_->draggedPanels();
  settings.stackedPanels = display_->arePanelsStacked();
  remembered_.write(std::move(settings));
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::WindowStateChange) {
    // The desktop has keys of its own for full screen.
    actions_->fullScreen->setChecked(isFullScreen());
  }
  QMainWindow::changeEvent(event);
}

void MainWindow::childEvent(QChildEvent* event) {
  QMainWindow::childEvent(event);
  // The tab bars of overlapping panels come and go.
  auto* tabs = event->polished() ? qobject_cast<QTabBar*>(event->child()) : nullptr;
  if (tabs) tabs->setAccessibleName(tr("Panels"));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  // Docks keep their sizes only once the window has its own.
  if (arranged_) {
    display_->fitWindow(event->oldSize());
    return;
  }
  arranged_ = true;
  if (remembered_.restorePanels()) {
    if (settings_.draggedPanels) display_->setDraggedPanels(*settings_.draggedPanels);
    display_->setPanelsStacked(settings_.stackedPanels);
  } else {
    display_->arrangePanels();
  }
}

bool MainWindow::mayClose() {
  return !asksBeforeClosing_ || (mayEndRunning() && workspaceFiles_->mayLeave());
}

bool MainWindow::mayEndRunning() {
  QStringList files = sweepExport_->writing() + interactiveExport_->writing();
  if (pagesExport_->isWriting()) files += tr("the figures of pages");
  const QStringList measured = runningMeasurements(workspace_.jobs());
  if (files.isEmpty() && measured.isEmpty()) return true;
  QStringList running;
  if (!files.isEmpty()) {
    running += tr("Still being written: %1.").arg(files.join(QStringLiteral(", ")));
  }
  if (!measured.isEmpty()) {
    running += tr("Still being measured: %1.").arg(measured.join(QStringLiteral(", ")));
  }
  QMessageBox question(QMessageBox::Question, tr("Close the window?"), running.join(u'\n'),
                       QMessageBox::NoButton, this);
  question.setTextFormat(Qt::PlainText);
  QStringList lost;
  if (!files.isEmpty()) lost += tr("What is not written when the window closes is lost.");
  if (!measured.isEmpty()) {
    lost += tr("What the window has measured is lost.");
    const std::vector<Jobs::Job> jobs = workspace_.jobs().all();
    const bool hasSurvey = std::ranges::any_of(
        jobs, [](const Jobs::Job& job) { return job.isProcess && isAskedMeasurement(job); });
    if (hasSurvey) {
      lost.back() += u' ' + tr("A survey's file keeps the pictures that are measured, and the same "
                               "survey continues from there.");
    }
  }
  question.setInformativeText(lost.join(u'\n'));
  auto* wait = question.addButton(tr("&Wait"), QMessageBox::RejectRole);
  auto* close = question.addButton(tr("&Close"), QMessageBox::DestructiveRole);
  question.setDefaultButton(wait);
  question.setEscapeButton(wait);
  question.exec();
  return question.clickedButton() == close;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose()) {
    event->ignore();
    return;
  }
  remember();
  autosave_->finish();
  workspace_.queue().cancel();
  QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (FileExchange::canOpen(*event->mimeData())) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  files_->open(*event->mimeData());
  event->acceptProposedAction();
}

bool MainWindow::canExport() const {
  return display_->pages().hasFigure();
}

void MainWindow::rememberPicture() {
  const Picture* picture = workspace_.picture().get();
  if (!picture || picture->path == options_.bundledPicture) return;
  const QString path = QString::fromStdString(picture->path);
  // A recording's picture is remembered with the recording.
  if (QFileInfo::exists(path) && !isCheckpointName(path)) files_->rememberPicture(path);
}

void MainWindow::rememberModel() {
  const OpenedModel* opened = workspace_.models().current();
  if (!opened || opened->request.path == options_.bundledModel) return;
  // Steps of a training would push out all others, and those from Python end with the window.
  if (opened->summary().isLive || !series_->shownSteps().empty()) return;
  files_->rememberModel(QString::fromStdString(opened->request.path));
}

void MainWindow::showTitle() {
  QStringList parts;
  if (const Picture* picture = workspace_.picture().get()) {
    parts += QFileInfo(QString::fromStdString(picture->path)).fileName();
  }
  if (const OpenedModel* opened = workspace_.models().current()) parts += opened->name();
  for (QString& part : parts) part = inTitle(part);
  if (!workspaceFiles_->path().isEmpty()) {
    // Qt shows the mark of unsaved changes in the place of the brackets.
    parts += inTitle(QFileInfo(workspaceFiles_->path()).completeBaseName()) + QStringLiteral("[*]");
  }
  parts += QStringLiteral("Softscope");
  parts.removeAll(QString());
  setWindowTitle(parts.join(QStringLiteral(" — ")));
}

}  // namespace softscope
