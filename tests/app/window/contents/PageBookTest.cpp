#include "app/window/contents/PageBook.h"
#include "app/window/contents/WindowPages.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ExplanationView.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace softscope {
namespace {

/// A row's pages have its keys and the digits from 1 on, in the order of their tabs.
TEST(WindowPages, HaveShortcutsByTheirPlaceInARow) {
  std::map<AnalysisGroup, int> places;
  std::map<AnalysisGroup, std::set<QString>> keys;
  std::set<QString> all;
  for (const WindowPage& page : windowPages()) {
    EXPECT_TRUE(all.insert(page.shortcut).second) << page.shortcut.toStdString();
    if (!page.group) continue;
    EXPECT_EQ(page.shortcut.back().digitValue(), ++places[*page.group]) << page.name.toStdString();
    keys[*page.group].insert(page.shortcut.chopped(1));
  }
  for (const auto& [row, used] : keys) EXPECT_EQ(used.size(), 1u);
}

}  // namespace

namespace {

class PageBookTest : public testing::Test {
 protected:
  PageBookTest() {
    for (const WindowPage& page : windowPages()) {
      auto* action = new QAction(page.title, &actions_);
      action->setCheckable(true);
      action->setData(page.name);
      actions_.addAction(action);
    }
    workspace_.setPage(QStringLiteral("heads"));
    book_ = std::make_unique<PageBook>(workspace_, PageSources(), actions_);
    book_->showPage();
  }
  void openPicture() {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    settle();
  }
  void openModel() {
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().open(request);
    settle();
  }
  void settle() {
    test::settle(workspace_);
    book_->takePicture();
    book_->showPage();
  }
  QString emptyTitle() { return book_->findChild<EmptyState*>()->title(); }
  template <typename AnyPage>
  AnyPage* page() {
    return book_->findChild<AnyPage*>();
  }

  Workspace workspace_{test::syntheticEngine()};
  QActionGroup actions_{nullptr};
  std::unique_ptr<PageBook> book_;
};

TEST_F(PageBookTest, EveryPageSaysWhatItShows) {
  const auto* tabs = book_->findChild<QTabBar*>(QStringLiteral("pages"));
  auto* view = book_->findChild<ExplanationView*>();
  book_->setExplained(true);
  QSet<QString> texts;
  for (const WindowPage& page : windowPages()) {
    workspace_.setPage(page.name);
    const std::string name = page.name.toStdString();
    for (const char* part : {"Look for:", "Formula:", "Answers to:"}) {
      EXPECT_TRUE(view->text().contains(QLatin1String(part))) << name << ": " << part;
    }
    texts.insert(view->text());
    const QString tip = tabs->tabToolTip(tabs->currentIndex());
    EXPECT_TRUE(tip.contains(QStringLiteral("\n\n"))) << name;
    for (const QString& line : tip.split(u'\n')) EXPECT_LE(line.size(), 90) << name;
  }
  EXPECT_EQ(texts.size(), static_cast<int>(windowPages().size())) << "each has its own";
}

TEST_F(PageBookTest, WhatAPageShowsIsToldUntilItIsClosed) {
  QSignalSpy changes(book_.get(), &PageBook::explainedChanged);
  EXPECT_FALSE(book_->isExplained());
  auto* help = book_->findChild<QToolButton*>();
  ASSERT_EQ(help->text(), QStringLiteral("?"));
  help->click();
  EXPECT_TRUE(book_->isExplained());
  QTest::keyClick(book_->findChild<ExplanationView*>(), Qt::Key_Escape);
  EXPECT_FALSE(book_->isExplained());
  EXPECT_FALSE(help->isChecked());
  EXPECT_EQ(changes.count(), 2);
}

TEST_F(PageBookTest, WordsSayWhatIsMissingUntilThereIsSomethingToShow) {
  EXPECT_EQ(book_->shownPage(), nullptr);
  EXPECT_FALSE(book_->hasFigure());
  EXPECT_EQ(emptyTitle(), QStringLiteral("Nothing is open"));
  openModel();
  EXPECT_EQ(emptyTitle(), QStringLiteral("The model has nothing to look at"));
  openPicture();
  EXPECT_EQ(book_->shownPage(), page<HeadsPage>());
  EXPECT_TRUE(book_->hasFigure());
  ASSERT_TRUE(book_->figure());
  workspace_.queue().close(0);
  settle();
  EXPECT_EQ(book_->shownPage(), nullptr);
  EXPECT_EQ(emptyTitle(), QStringLiteral("Nobody looks at the picture"));
  EXPECT_FALSE(book_->figure());
}

TEST_F(PageBookTest, TabActionAndWorkspaceNameOnePage) {
  openModel();
  openPicture();
  auto& tabs = *book_->findChild<QTabBar*>(QStringLiteral("pages"));
  const auto checked = [this] { return actions_.checkedAction()->data().toString(); };
  workspace_.setPage(QStringLiteral("overview"));
  EXPECT_EQ(book_->shownPage(), page<OverviewPage>());
  EXPECT_EQ(tabs.tabData(tabs.currentIndex()).toString(), QStringLiteral("overview"));
  EXPECT_EQ(checked(), QStringLiteral("overview"));
  tabs.setCurrentIndex(1);
  EXPECT_EQ(workspace_.page(), QStringLiteral("compare"));
  EXPECT_EQ(book_->shownPage(), page<ComparePage>());
  EXPECT_EQ(checked(), QStringLiteral("compare"));
  actions_.actions().front()->trigger();
  EXPECT_EQ(workspace_.page(), QStringLiteral("heads"));
  EXPECT_EQ(tabs.currentIndex(), 0);
}

TEST_F(PageBookTest, TabsStandInGroupsThatRememberTheirPages) {
  auto& groups = *book_->findChild<QTabBar*>(QStringLiteral("groups"));
  auto& tabs = *book_->findChild<QTabBar*>(QStringLiteral("pages"));
  int pages = 0;
  for (int group = 0; group < groups.count(); ++group) {
    groups.setCurrentIndex(group);
    pages += tabs.count();
    EXPECT_LE(tabs.sizeHint().width(), 560) << "fits at 800 x 600";
  }
  EXPECT_EQ(pages, static_cast<int>(windowPages().size())) << "each in one group";
  workspace_.setPage(QStringLiteral("spectrum"));
  EXPECT_EQ(tabs.tabData(tabs.currentIndex()).toString(), QStringLiteral("spectrum"));
  workspace_.setPage(QStringLiteral("overview"));
  groups.setCurrentIndex(1);
  EXPECT_EQ(workspace_.page(), QStringLiteral("spectrum"));
}

TEST_F(PageBookTest, APageOfALaterVersionIsTheHeads) {
  openModel();
  openPicture();
  workspace_.setPage(QStringLiteral("holograms"));
  EXPECT_EQ(book_->shownPage(), page<HeadsPage>());
}

TEST_F(PageBookTest, ALibrarysModelsAreWantedOnTheirPages) {
  QSignalSpy wanted(book_.get(), &PageBook::libraryModelWanted);
  QSignalSpy beside(book_.get(), &PageBook::libraryModelWantedBeside);
  workspace_.setPage(QStringLiteral("models"));
  Q_EMIT page<LibraryPage>()->openBesideWanted(QStringLiteral("b.pth"));
  EXPECT_EQ(workspace_.page(), QStringLiteral("models")) << "to take more of them";
  Q_EMIT page<LibraryPage>()->openWanted(QStringLiteral("a.pth"));
  EXPECT_EQ(workspace_.page(), QStringLiteral("heads"));
  ASSERT_EQ(wanted.count(), 1);
  ASSERT_EQ(beside.count(), 1);
  EXPECT_EQ(wanted.front().front().toString(), QStringLiteral("a.pth"));
  EXPECT_EQ(beside.front().front().toString(), QStringLiteral("b.pth"));
}

}  // namespace
}  // namespace softscope
