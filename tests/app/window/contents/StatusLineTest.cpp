#include "app/window/contents/StatusLine.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/ProgressStrip.h"
#include "widgets/workspace/Worker.h"

#include <QtGui/QAction>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class StatusLineTest : public testing::Test {
 protected:
  StatusLineTest() {
    line_.resize(600, 30);
    line_.show();
  }
  ProgressStrip& strip() { return *line_.findChild<ProgressStrip*>(); }

  Worker worker_;
  StatusLine line_{worker_};
};

TEST_F(StatusLineTest, WhatIsUnderThePointerTakesThePlaceOfAMessage) {
  line_.say(QStringLiteral("Wrote heads.pdf"));
  EXPECT_EQ(line_.currentMessage(), QStringLiteral("Wrote heads.pdf"));
  line_.readOut({});
  EXPECT_EQ(line_.currentMessage(), QStringLiteral("Wrote heads.pdf"))
      << "that the pointer left something is no reason";
  line_.readOut(QStringLiteral("patch (1, 2)"));
  EXPECT_TRUE(line_.currentMessage().isEmpty());
  EXPECT_EQ(line_.findChild<ElidedLabel*>()->text(), QStringLiteral("patch (1, 2)"));
}

TEST_F(StatusLineTest, ShowsLongWorkAndLetsItBeCancelled) {
  QSignalSpy cancelled(&line_, &StatusLine::cancelled);
  worker_.submit(Worker::Kind::Analysis, QStringLiteral("Decomposing"),
                 [](const Progress& progress) -> Worker::Delivery {
                   for (;;) {
                     progress.throwIfCancelled();
                     QThread::msleep(1);
                   }
                 });
  ASSERT_TRUE(QTest::qWaitFor([this] { return strip().isVisible(); }, test::patience));
  strip().findChild<QPushButton*>()->click();
  EXPECT_EQ(cancelled.count(), 1);
  worker_.cancelAll();
  EXPECT_FALSE(strip().isVisible());
}

TEST_F(StatusLineTest, OffersToOpenAFileThatWasWritten) {
  QSignalSpy wanted(&line_, &StatusLine::openWanted);
  const auto button = [this](const QString& text) -> QToolButton& {
    for (auto* found : line_.findChildren<QToolButton*>()) {
      if (found->text() == text) return *found;
    }
    throw std::runtime_error("no such button");
  };
  line_.offerFile(QStringLiteral("/home/me/figures/heads.pdf"));
  ASSERT_TRUE(button(QStringLiteral("Open heads.pdf")).isVisible());
  button(QStringLiteral("Open heads.pdf")).click();
  button(QStringLiteral("Show in folder")).click();
  ASSERT_EQ(wanted.count(), 2);
  EXPECT_EQ(wanted[0][0].toUrl().toLocalFile(), QStringLiteral("/home/me/figures/heads.pdf"));
  EXPECT_EQ(wanted[1][0].toUrl().toLocalFile(), QStringLiteral("/home/me/figures"));
  line_.say(QStringLiteral("Copied the figure."));
  EXPECT_FALSE(button(QStringLiteral("Open heads.pdf")).isVisible()) << "that was another file";
  QAction back(QStringLiteral("Go &back"));
  QSignalSpy triggered(&back, &QAction::triggered);
  line_.offerAction(back);
  button(QStringLiteral("Go back")).click();
  EXPECT_EQ(triggered.count(), 1);
  line_.say(QStringLiteral("Saved."));
  EXPECT_FALSE(button(QStringLiteral("Go back")).isVisible());
}

}  // namespace
}  // namespace softscope
