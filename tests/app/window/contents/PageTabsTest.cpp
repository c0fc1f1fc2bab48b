#include "app/window/contents/PageTabs.h"
#include "app/window/contents/WindowPages.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QMenu>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace softscope {
namespace {

class PageTabsTest : public testing::Test {
 protected:
  PageTabsTest() {
    for (const WindowPage& page : windowPages()) {
      auto* action = new QAction(page.title, &actions_);
      action->setData(page.name);
      actions_.addAction(action);
    }
    tabs_ = std::make_unique<PageTabs>(actions_);
    tabs_->setCurrent(QStringLiteral("heads"));
    tabs_->show();
  }
  void resize(int width) {
    tabs_->resize(width, tabs_->sizeHint().height());
    QCoreApplication::processEvents();
  }
  QTabBar& bar() { return *tabs_->findChild<QTabBar*>(QStringLiteral("pages")); }
  QToolButton& more() {
    for (auto* button : tabs_->findChildren<QToolButton*>()) {
      if (button->property("more").toBool()) return *button;
    }
    throw std::runtime_error("there is no menu of more pages");
  }
  QStringList shown() {
    QStringList pages;
    for (int i = 0; i < bar().count(); ++i) {
      if (!bar().isTabVisible(i)) continue;
      pages += bar().tabData(i).toString();
      EXPECT_LE(bar().mapTo(tabs_.get(), bar().tabRect(i).bottomRight()).x(), tabs_->width());
      EXPECT_LE(bar().tabRect(i).right(), bar().width()) << "cut off";
    }
    return pages;
  }

  QActionGroup actions_{nullptr};
  std::unique_ptr<PageTabs> tabs_;
};

TEST_F(PageTabsTest, InAWideRowAllPagesAreTabs) {
  resize(1200);
  EXPECT_EQ(shown().size(), bar().count());
  EXPECT_TRUE(more().isHidden());
}

TEST_F(PageTabsTest, InANarrowRowTheLastAreInAMenu) {
  resize(1200);
  const QStringList all = shown();
  resize(260);
  const QStringList few = shown();
  ASSERT_LT(few.size(), all.size());
  EXPECT_GE(few.size(), 2);
  EXPECT_EQ(few, all.mid(0, few.size()));
  EXPECT_FALSE(more().isHidden());
  EXPECT_LE(more().geometry().right(), tabs_->width());
  Q_EMIT more().menu()->aboutToShow();
  const QList<QAction*> others = more().menu()->actions();
  ASSERT_EQ(others.size(), all.size() - few.size());
  QSignalSpy chosen(tabs_.get(), &PageTabs::chosen);
  others.back()->trigger();
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toString(), all.back());
}

TEST_F(PageTabsTest, InANarrowRowGroupsAreShortenedRatherThanCut) {
  auto* groups = tabs_->findChild<QTabBar*>(QStringLiteral("groups"));
  resize(1200);
  QStringList whole;
  for (int i = 0; i < groups->count(); ++i) whole += groups->tabText(i);
  EXPECT_TRUE(whole.contains(QStringLiteral("Mathematics")));
  resize(260);
  EXPECT_NE(groups->tabText(1), whole[1]);
  EXPECT_TRUE(groups->tabText(1).endsWith(u'…'));
  EXPECT_EQ(groups->accessibleTabName(1), whole[1]);
  EXPECT_LE(groups->tabRect(groups->count() - 1).right(), 260);
  resize(1200);
  for (int i = 0; i < groups->count(); ++i) EXPECT_EQ(groups->tabText(i), whole[i]);
}

TEST_F(PageTabsTest, ThePageInFrontIsAlwaysATab) {
  resize(1200);
  const QStringList all = shown();
  resize(260);
  for (const QString& page : all) {
    tabs_->setCurrent(page);
    EXPECT_TRUE(shown().contains(page)) << page.toStdString();
  }
  for (const int width : {260, 500, 1200}) {
    resize(width);
    shown();
  }
  EXPECT_EQ(shown(), all);
}

}  // namespace
}  // namespace softscope
