#include "app/window/contents/PageBook.h"

#include "app/window/contents/ModelChips.h"
#include "app/window/contents/PageExplanation.h"
#include "app/window/contents/PageTabs.h"
#include "app/window/contents/WindowPages.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ExplanationView.h"
#include "widgets/controls/ToolTips.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/CostPage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/survey/SurveyPage.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace softscope {
namespace {

constexpr int narrowestPage = 240;

/// Explains why there is nothing to see, and what to do about it.
void explainEmptiness(const Workspace& workspace, bool hasPair, EmptyState& empty) {
  const OpenedModel* opened = workspace.models().current();
  const bool picture = workspace.picture().get() != nullptr;
  const bool busy = workspace.worker().isBusy();
  const bool isStray = opened && workspace.queue().ofOtherPicture() == opened;
  const bool stopped = picture && opened && !busy;
  empty.setOffers(!picture && !busy, !opened && !busy, stopped && !isStray, stopped && isStray,
                  !opened && !busy && hasPair);
  if (busy) {
    const Worker& worker = workspace.worker();
    empty.setTexts(PageBook::tr("One moment"),
                   worker.isBusy(Worker::Kind::Picture) ? PageBook::tr("The picture is being read.")
                   : worker.isBusy(Worker::Kind::Model)
                       ? PageBook::tr("The model is being opened.")
                       : PageBook::tr("The model is looking at the picture."));
  } else if (!picture && !opened) {
    empty.setTexts(
        PageBook::tr("Nothing is open"),
        PageBook::tr("Open a picture and a model, or drop them anywhere in this window."));
  } else if (!picture) {
    empty.setTexts(PageBook::tr("The model has nothing to look at"),
                   PageBook::tr("Open a picture, or drop or paste one here."));
  } else if (!opened) {
    empty.setTexts(
        PageBook::tr("Nobody looks at the picture"),
        PageBook::tr("Open a checkpoint as its authors published it, or drop one here."));
  } else if (isStray) {
    empty.setTexts(PageBook::tr("This recording is of another picture"), opened->failure);
  } else {
    empty.setTexts(PageBook::tr("The model has not seen this picture"),
                   opened->failure.isEmpty() ? PageBook::tr("The run was cancelled, or failed.")
                                             : opened->failure);
  }
}

/// A click on a choice or a button leaves the keyboard with the maps; Tab leads to all of them.
void keepKeysFromChoices(const QWidget& page) {
  for (QWidget* control : page.findChildren<QWidget*>()) {
    const auto* choice = qobject_cast<const QComboBox*>(control);
    const bool isChoice = choice && !choice->isEditable();
    if (isChoice || qobject_cast<const QAbstractButton*>(control)) {
      control->setFocusPolicy(Qt::TabFocus);
    }
  }
}

}  // namespace

PageBook::PageBook(Workspace& workspace, const PageSources& sources, QActionGroup& actions,
                   QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      actions_(actions),
      chips_(new ModelChips(workspace, sources.library, sources.recentModels)),
      tabs_(new PageTabs(actions)),
      help_(new QToolButton),
      explanation_(new ExplanationView),
      pages_(new QStackedWidget),
      empty_(new EmptyState),
      heads_(new HeadsPage(workspace)),
      hasPair_(static_cast<bool>(sources.library)) {
  addTabs();
  addPages(sources);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(0, 0, 6, 0);
  top->setSpacing(4);
  top->addWidget(tabs_, 1);
  top->addWidget(help_, 0, Qt::AlignTop);
  column->addWidget(chips_);
  column->addLayout(top);
  column->addWidget(explanation_);
  column->addWidget(pages_, 1);
  connectChoice();
  connectChips();
}

void PageBook::addTabs() {
  help_->setText(QStringLiteral("?"));
  help_->setCheckable(true);
  help_->setAutoRaise(true);
  help_->setFocusPolicy(Qt::TabFocus);
  help_->setAccessibleName(explanation_->accessibleName());
  setKeyTip(*help_, tr("What this page shows, and what to look for"), "explain");
  explanation_->hide();
}

void PageBook::setExplained(bool explained) {
  if (explained == isExplained()) return;
  explanation_->setVisible(explained);
  help_->setChecked(explained);
  Q_EMIT explainedChanged(explained);
}

bool PageBook::isExplained() const {
  return !explanation_->isHidden();
}

void PageBook::addPages(const PageSources& sources) {
  // The minimum sizes of hidden pages change while the window starts, which would move its panels.
  pages_->setMinimumWidth(narrowestPage);
  // Pages take the remaining room; the widgets above them are as high as they need.
  pages_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
  pages_->addWidget(empty_);
  addPage(QStringLiteral("heads"), heads_);
  addComparePage();
  addLibraryPage(sources.library);
  addSurveyPage();
  addPage(QStringLiteral("cost"), new CostPage(workspace_));
  for (const WindowPage& page : windowPages()) {
    if (page.make) addPage(page.name, page.make(workspace_));
  }
}

void PageBook::addPage(const QString& name, Page* page) {
  keepKeysFromChoices(*page);
  pages_->addWidget(page);
  pagesByName_.insert(name, page);
  connect(page, &Page::readOut, this, &PageBook::readOut);
  connect(page, &Page::pointedAt, this, &PageBook::pointedAt);
  connect(page, &Page::followedViewChanged, this, &PageBook::followedViewChanged);
  connect(page, &Page::panelMenuWanted, this, &PageBook::panelMenuWanted);
}

void PageBook::addComparePage() {
  auto* page = new ComparePage(workspace_);
  addPage(QStringLiteral("compare"), page);
  connect(page, &ComparePage::modelWanted, chips_, &ModelChips::listModels);
  connect(page, &ComparePage::renameWanted, this, &PageBook::renameWanted);
}

void PageBook::addLibraryPage(const LibraryPage::Source& source) {
  auto* page = new LibraryPage(workspace_, source);
  addPage(QStringLiteral("models"), page);
  connect(page, &LibraryPage::openWanted, this, [this](const QString& path) {
    Q_EMIT libraryModelWanted(path);
    workspace_.setPage(QStringLiteral("heads"));
  });
  connect(page, &LibraryPage::openBesideWanted, this, [this](const QString& path) {
    // The page stays open, so that several models can be opened one after another.
    Q_EMIT libraryModelWantedBeside(path);
  });
}

void PageBook::addSurveyPage() {
  auto* page = new SurveyPage(workspace_);
  addPage(QStringLiteral("survey"), page);
  connect(page, &SurveyPage::openWanted, this, &PageBook::surveyWanted);
  connect(page, &SurveyPage::newWanted, this, &PageBook::newSurveyWanted);
  connect(page, &SurveyPage::placeWanted, this, &PageBook::surveyPlaceWanted);
}

void PageBook::connectChoice() {
  connect(&workspace_, &Workspace::pageChanged, this, &PageBook::showPage);
  connect(tabs_, &PageTabs::chosen, &workspace_, &Workspace::setPage);
  connect(&actions_, &QActionGroup::triggered, this,
          [this](const QAction* action) { workspace_.setPage(action->data().toString()); });
  connect(tabs_, &PageTabs::menuWanted, this, &PageBook::tabMenuWanted);
  connect(help_, &QToolButton::toggled, this, &PageBook::setExplained);
  connect(explanation_, &ExplanationView::closed, this, [this] { setExplained(false); });
  connect(empty_, &EmptyState::pictureWanted, this, &PageBook::pictureWanted);
  connect(empty_, &EmptyState::pairWanted, this, &PageBook::pairWanted);
  connect(empty_, &EmptyState::modelWanted, this, &PageBook::modelWanted);
  connect(empty_, &EmptyState::runWanted, &workspace_.queue(), &ModelQueue::inspectAgain);
  connect(empty_, &EmptyState::ownPictureWanted, &workspace_.queue(), &ModelQueue::bringPicture);
}

void PageBook::connectChips() {
  connect(chips_, &ModelChips::modelWanted, this, &PageBook::libraryModelWantedBeside);
  connect(chips_, &ModelChips::fileWanted, this, &PageBook::besideWanted);
  connect(chips_, &ModelChips::renameWanted, this, &PageBook::renameWanted);
  connect(chips_, &ModelChips::classNamesWanted, this, &PageBook::classNamesWanted);
}

Page& PageBook::chosenPage() const {
  Page* page = pagesByName_.value(workspace_.page());
  return page ? *page : *heads_;
}

Page* PageBook::shownPage() const {
  Page& page = chosenPage();
  return pages_->currentWidget() == &page ? &page : nullptr;
}

std::optional<PageFigure> PageBook::figure() const {
  const Page* page = shownPage();
  return page ? page->figure() : std::nullopt;
}

bool PageBook::hasFigure() const {
  const Page* page = shownPage();
  return page && page->hasFigure();
}

void PageBook::showPage() {
  // The page of a later version is replaced by the heads here.
  const QString name =
      pagesByName_.contains(workspace_.page()) ? workspace_.page() : QStringLiteral("heads");
  tabs_->setCurrent(name);
  for (QAction* action : actions_.actions()) action->setChecked(action->data().toString() == name);
  if (explained_ != name) {
    explained_ = name;
    explanation_->setText(pageExplanation(name));
  }
  Page& page = chosenPage();
  if (page.isReady()) {
    bring(page);
  } else {
    bring(*empty_);
    explainEmptiness(workspace_, hasPair_, *empty_);
  }
}

void PageBook::takeKeys() {
  if (Page* page = shownPage()) {
    page->takeKeys();
  } else {
    pages_->currentWidget()->setFocus(Qt::OtherFocusReason);
  }
}

/// Brings a page, or the words in its place, to the front, and gives it the keyboard.
void PageBook::bring(QWidget& front) {
  if (pages_->currentWidget() == &front && window()->focusWidget()) return;
  const QWidget* before = window()->focusWidget();
  pages_->setCurrentWidget(&front);
  // Who walks along the tabs with the keyboard stays there; Tab leads to the page.
  if (before && tabs_->isAncestorOf(before)) return;
  if (auto* page = qobject_cast<Page*>(&front)) {
    page->takeKeys();
  } else {
    front.setFocus(Qt::OtherFocusReason);
  }
}

void PageBook::takePicture() {
  for (Page* page : std::as_const(pagesByName_)) page->takePicture();
}

void PageBook::releaseResults() {
  const Page* shown = shownPage();
  for (Page* page : std::as_const(pagesByName_)) {
    if (page != shown) page->releaseResults();
  }
}

}  // namespace softscope
