#include "app/window/contents/JobList.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QScreen>
#include <QtTest/QTest>
#include <QtWidgets/QFrame>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace softscope {

/// A result of a listed job.
struct ListedResult {};
std::size_t bytesOf(const ListedResult&) {
  return 1;
}

namespace {

class JobListTest : public testing::Test {
 protected:
  JobListTest() {
    around_.resize(600, 40);
    around_.show();
  }
  void start(int subject, const QString& page) {
    workspace_.jobs().start<ListedResult>(
        subject, {page, QStringLiteral("Deletion"), QStringLiteral("soft · cat.png")},
        [this](const Progress& progress, const Jobs::Teller<ListedResult>&) {
          while (held_) {
            progress.report(0.25, {});
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          return ListedResult();
        });
  }
  QPushButton& button(const QString& name) {
    for (auto* found : list_.findChildren<QPushButton*>()) {
      if (found->accessibleName() == name) return *found;
    }
    throw std::runtime_error("no such button");
  }

  std::atomic<bool> held_ = true;
  Workspace workspace_{test::syntheticEngine()};
  QWidget around_;
  JobList list_{workspace_, &around_};
};

TEST_F(JobListTest, TellsHowFarAJobIsAndStopsIt) {
  EXPECT_TRUE(list_.isHidden()) << "nothing is measured";
  start(1, QStringLiteral("deletion"));
  EXPECT_FALSE(list_.isHidden());
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return list_.text().contains(u"25 % done"); }, test::patience));
  EXPECT_TRUE(list_.text().startsWith(QStringLiteral("Deletion")));
  list_.click();
  auto* opened = list_.findChild<QFrame*>();
  ASSERT_TRUE(opened->isVisible());
  button(QStringLiteral("Stop Deletion · soft · cat.png")).click();
  EXPECT_FALSE(workspace_.jobs().isBusy());
  EXPECT_TRUE(list_.text().contains(QStringLiteral("stopped")));
}

TEST_F(JobListTest, ShowsThePageOfAJobThatIsDone) {
  held_ = false;
  start(1, QStringLiteral("deletion"));
  test::settle(workspace_.jobs());
  EXPECT_EQ(list_.text(), QStringLiteral("Deletion · done"));
  list_.click();
  button(QStringLiteral("Show Deletion · soft · cat.png")).click();
  EXPECT_EQ(workspace_.page(), QStringLiteral("deletion"));
  held_ = true;
  start(2, QStringLiteral("deletion"));
  start(3, QStringLiteral("share"));
  EXPECT_TRUE(list_.text().endsWith(QStringLiteral("1 more"))) << list_.text().toStdString();
  held_ = false;
  test::settle(workspace_.jobs());
}

TEST_F(JobListTest, IsOnTheScreenWhateverFilesAreCalled) {
  const QString model = QStringLiteral("vit_") + QString(90, u'a') + QStringLiteral("_best.pth");
  const QString picture = QStringLiteral("wide ") + QString(90, u'b') + QStringLiteral(".png");
  workspace_.jobs().start<ListedResult>(
      1, {QStringLiteral("deletion"), QStringLiteral("Deletion"), model + " · " + picture},
      [](const Progress&, const Jobs::Teller<ListedResult>&) { return ListedResult(); });
  test::settle(workspace_.jobs());
  around_.move(0, 0);
  list_.click();
  const auto* opened = list_.findChild<QFrame*>();
  const QRect screen = list_.screen()->availableGeometry();
  EXPECT_TRUE(screen.contains(opened->frameGeometry().topLeft()));
  EXPECT_LT(opened->width(), 800) << "the narrowest window";
  // Long words are broken.
  const QString text = opened->findChild<QLabel*>()->text().remove(u'\n');
  for (const char* part : {"Deletion", "vit_", "_best.pth", "wide ", ".png", "done"}) {
    EXPECT_TRUE(text.contains(QLatin1String(part))) << part << " is not in " << text.toStdString();
  }
}

}  // namespace
}  // namespace softscope
