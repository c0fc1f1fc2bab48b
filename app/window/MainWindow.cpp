#include "app/window/MainWindow.h"

#include "app/window/Autosave.h"
#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/RememberedAnswers.h"
#include "app/window/WindowActions.h"
#include "app/window/WindowDocks.h"
#include "app/window/WindowPages.h"
#include "app/window/WorkspaceFiles.h"
#include "core/model/Device.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/controls/ProgressStrip.h"
#include "widgets/controls/Theme.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/CostPage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/paint/PanelText.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/panels/PredictionList.h"
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
#include <QtGui/QDragEnterEvent>
#include <QtGui/QScreen>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QStatusBar>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

constexpr int layoutVersion = 1;
constexpr int narrowestPage = 240;

}  // namespace

MainWindow::MainWindow(ModelOpener opener, ModelInspector inspector, WindowOptions options)
    : options_(std::move(options)),
      settings_(readWindowSettings()),
      systemTheme_(systemTheme()),
      workspace_(std::move(opener), std::move(inspector)),
      actions_(new WindowActions(*this)),
      files_(std::make_unique<FileExchange>(*this, workspace_, *actions_, settings_)),
      figures_(std::make_unique<FigureExport>(*this, workspace_, *actions_, settings_,
                                              options_.threads)),
      workspaceFiles_(std::make_unique<WorkspaceFiles>(*this, workspace_, *actions_, settings_)),
      autosave_(std::make_unique<Autosave>(workspace_)) {
  setObjectName(QStringLiteral("softscope"));
  setWindowIcon(QIcon(QStringLiteral(":/softscope/icons/softscope.svg")));
  setAcceptDrops(true);
  workspace_.setShareMeasurer(options_.measureShare);
  queryDue_.setSingleShot(true);
  queryDue_.setInterval(0);
  // Before widgets exist: they ask for its colours when they are made.
  chooseTheme(options_.theme ? options_.theme : settings_.theme);
  buildCentre();
  buildDocks();
  connectWorkspace();
  connectPanels();
  connectPages();
  connectActions();
  restore();
  showPicture();
  showModel();
  showView();
  openFirst();
}

MainWindow::~MainWindow() {
  // Its last signals would reach widgets that are being destroyed.
  for (QObject* part : std::initializer_list<QObject*>{
           &workspace_, &workspace_.worker(), &workspace_.picture(), &workspace_.models(),
           &workspace_.queries(), &workspace_.view(), &workspace_.comparison(),
           &workspace_.analysis()})
    part->disconnect();
}

void MainWindow::buildCentre() {
  banner_ = new ErrorBanner;
  question_ = new MechanismQuestion;
  empty_ = new EmptyState;
  heads_ = new HeadsPage(workspace_);
  compare_ = new ComparePage(workspace_);
  library_ = new LibraryPage(workspace_, options_.library);
  tabs_ = new QTabBar;
  tabs_->setAccessibleName(tr("Pages"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setFocusPolicy(Qt::TabFocus);
  for (const QAction* action : actions_->pages->actions()) {
    const int index = tabs_->addTab(QString(action->text()).remove(u'&'));
    tabs_->setTabData(index, action->data());
    tabs_->setTabToolTip(index, action->shortcut().toString(QKeySequence::NativeText));
  }
  pages_ = new QStackedWidget;
  // What hidden pages ask for changes while the window starts, which would push its panels about.
  pages_->setMinimumWidth(narrowestPage);
  pages_->addWidget(empty_);
  addPage(QStringLiteral("heads"), heads_);
  addPage(QStringLiteral("compare"), compare_);
  addPage(QStringLiteral("models"), library_);
  addPage(QStringLiteral("cost"), new CostPage(workspace_, options_.costRunner, options_.threads));
  for (const WindowPage& page : windowPages()) {
    if (page.make) addPage(page.name, page.make(workspace_));
  }
  figures_->setShown([this]() -> std::optional<PageFigure> {
    const Page* page = shownPage();
    return page ? page->figure() : std::nullopt;
  });

  auto* centre = new QWidget;
  auto* column = new QVBoxLayout(centre);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(banner_);
  column->addWidget(question_);
  column->addWidget(tabs_);
  column->addWidget(pages_, 1);
  setCentralWidget(centre);

  readout_ = new ElidedLabel;
  readout_->setAccessibleDescription(tr("Value under the pointer"));
  readout_->setContentsMargins(10, 0, 10, 0);
  progress_ = new ProgressStrip;
  statusBar()->setSizeGripEnabled(false);
  statusBar()->addWidget(readout_, 1);
  statusBar()->addPermanentWidget(progress_);
}

void MainWindow::addPage(const QString& name, Page* page) {
  pages_->addWidget(page);
  pagesByName_.insert(name, page);
  connect(page, &Page::readOut, this, &MainWindow::readOut);
  connect(page, &Page::pointedAt, this,
          [this](const std::vector<PictureMark>& marks) { pictureView_->setPointed(marks); });
}

void MainWindow::readOut(const QString& text) {
  readout_->setText(text);
  // What is under the pointer now says more than a message of some seconds ago.
  if (!text.isEmpty()) statusBar()->clearMessage();
}

void MainWindow::say(const QString& message) {
  constexpr int readingTime = 6000;
  statusBar()->showMessage(message, readingTime);
}

void MainWindow::buildDocks() {
  pictureView_ = new PictureView;
  pins_ = new PinStrip;
  predictions_ = new PredictionList;
  modelPanel_ = new ModelPanel;
  layers_ = new LayerTree;
  viewPanel_ = new ViewPanel;
  modelPanel_->setDevices(availableDevices());
  auto* picture = new QWidget;
  auto* column = new QVBoxLayout(picture);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(pictureView_, 1);
  column->addWidget(pins_);
  docks_ = std::make_unique<WindowDocks>(
      *this, DockContents{picture, predictions_, modelPanel_, layers_, viewPanel_},
      *actions_->panels);
}

void MainWindow::restore() {
  resize(QSize(1280, 800).boundedTo(screen()->availableSize()));
  if (!settings_.geometry.isEmpty()) restoreGeometry(settings_.geometry);
  ViewSettings view = settings_.view;
  if (options_.colorMap) {
    const ColorMap& chosen = colorMap(*options_.colorMap);
    (chosen.diverging ? view.divergingColorMap : view.colorMap) = chosen.name;
  }
  workspace_.view().set(view);
  workspace_.view().setIncludesMean(options_.includesMean.value_or(settings_.includesMean));
  workspace_.view().setIncludesLargest(
      options_.includesLargest.value_or(settings_.includesLargest));
  workspace_.view().setOnlyHead(options_.onlyHead);
  remembered_ = settings_;
  if (options_.dpi) settings_.figure.dpi = *options_.dpi;
  workspace_.queue().setFirstInputSize(options_.inputSize);
  workspace_.layers().setFirst(options_.layer);
  if (options_.direction) workspace_.layers().setDirection(*options_.direction);
}

void MainWindow::openFirst() {
  workspace_.setPage(QStringLiteral("heads"));
  const bool asked = !options_.picturePath.empty() || !options_.models.empty();
  if (!asked) {
    if (const auto recovered = Autosave::takeRecovered()) {
      workspaceFiles_->restore(recovered->state);
      const QString said =
          tr("Softscope did not end as it should last time; this is how things stood at %1.")
              .arg(recovered->savedAt.time().toString());
      // A status bar that is not shown yet would show what stands under its message, too.
      QTimer::singleShot(0, this, [this, said] { say(said); });
      return;
    }
  }
  const QString first = QString::fromStdString(options_.picturePath);
  if (first.endsWith(QLatin1String(".softscope"))) {
    workspaceFiles_->open(first);
    return;
  }
  const std::string& picture = first.isEmpty() ? options_.bundledPicture : options_.picturePath;
  if (!picture.empty()) workspace_.picture().open(QString::fromStdString(picture));
  for (const ModelRequest& request : options_.models) {
    workspace_.queue().openBeside(withRemembered(request), &request == &options_.models.front());
  }
  if (options_.models.empty() && !options_.bundledModel.empty()) {
    ModelRequest request;
    request.path = options_.bundledModel;
    workspace_.queue().open(request);
  }
  if (options_.models.size() > 1) workspace_.setPage(QStringLiteral("compare"));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  // Sizes of docks hold only once the window has its own.
  if (arranged_) return;
  arranged_ = true;
  if (settings_.layout.isEmpty() || !restoreState(settings_.layout, layoutVersion)) {
    docks_->arrange();
  }
}

void MainWindow::rememberView() {
  // What the command line said was for this run: where it still holds, what was before stays.
  const auto kept = [](const auto& said, const auto& now, const auto& before) {
    return said && *said == now ? before : now;
  };
  const ViewSettings& view = workspace_.view().settings();
  settings_.view = view;
  settings_.view.colorMap = kept(options_.colorMap, view.colorMap, remembered_.view.colorMap);
  settings_.view.divergingColorMap =
      kept(options_.colorMap, view.divergingColorMap, remembered_.view.divergingColorMap);
  settings_.includesMean =
      kept(options_.includesMean, workspace_.view().includesMean(), remembered_.includesMean);
  settings_.includesLargest = kept(options_.includesLargest, workspace_.view().includesLargest(),
                                   remembered_.includesLargest);
  settings_.figure.dpi = kept(options_.dpi, settings_.figure.dpi, remembered_.figure.dpi);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  settings_.geometry = saveGeometry();
  settings_.layout = saveState(layoutVersion);
  rememberView();
  writeWindowSettings(settings_);
  autosave_->finish();
  workspace_.queue().cancel();
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

void MainWindow::applyFirstQuery() {
  const OpenedModel* opened = workspace_.models().current();
  if (firstQueryAsked_ || !opened || !opened->inspection) return;
  firstQueryAsked_ = true;
  if (!options_.layer.empty() && !opened->inspection->find(options_.layer)) {
    banner_->showError(tr("There is no layer %1 in this model; the panel Layers lists those it has")
                           .arg(QString::fromStdString(options_.layer)),
                       {});
  }
  if (options_.query) workspace_.queries().ask(*options_.query);
  if (options_.patch) startAtPatch(*options_.patch);
}

void MainWindow::startAtPatch(const Patch& patch) {
  const std::optional<TokenGrid> grid = workspace_.queries().grid();
  if (grid && patch.row < grid->height && patch.column < grid->width) {
    workspace_.queries().askPatch(patch);
    return;
  }
  const QString asked = QStringLiteral("%1,%2").arg(patch.row).arg(patch.column);
  banner_->showError(
      grid ? tr("The query %1 is outside this layer's %2 × %3 patches, counted from 0")
                 .arg(asked)
                 .arg(grid->height)
                 .arg(grid->width)
           : tr("The query %1 is a patch, and this layer's queries are not patches").arg(asked),
      {});
}

void MainWindow::changeView(const std::function<void(ViewSettings&)>& change) {
  ViewSettings view = workspace_.view().settings();
  change(view);
  workspace_.view().set(view);
}

/// About the query, where it is a place, as far as it can be seen.
void MainWindow::zoomAbout(double factor) {
  const QRectF& visible = workspace_.view().visible();
  QPointF about = visible.center();
  const QPointF asked = placeInRegion(workspace_.queries().extent(), workspace_.queries().query());
  if (workspace_.queries().grid() && !workspace_.queries().asksClassToken() &&
      visible.contains(asked))
    about = asked;
  workspace_.view().zoom(factor, about);
}

}  // namespace softscope
