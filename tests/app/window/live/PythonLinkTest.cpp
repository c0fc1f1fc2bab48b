#include "app/window/live/OpenSeries.h"
#include "app/window/live/PythonLink.h"
#include "app/window/live/StepBar.h"
#include "tests/app/window/live/AwaitedModels.h"
#include "tests/core/live/LiveClient.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QSlider>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace softscope {
namespace {

/// A window's workspace with the link, and a socket in a folder of its own.
class PythonLinkTest : public testing::Test {
 protected:
  PythonLinkTest() {
    workspace_.setPage(QStringLiteral("heads"));
    window_.addToolBar(Qt::BottomToolBarArea, &bar_);
    bar_.hide();
    window_.show();
    QObject::connect(&link_, &PythonLink::failed,
                     [this](const QString& message) { failures_ += message; });
    processes_->listenOnFile((folder_.path() + "/window.socket").toStdString());
    link_.begin();
  }

  test::LiveClient connected(const std::string& more, const std::string& name = "vit") {
    auto client = test::LiveClient::toFile((folder_.path() + "/window.socket").toStdString());
    client.send(R"({"type": "hello", "protocol": 1, "name": ")" + name + "\"" + more + "}");
    client.receive();
    return client;
  }
  /// Waits until the models have these names.
  bool comesTo(const QStringList& names) { return test::comesTo(workspace_, names); }

  QTemporaryDir folder_;
  std::shared_ptr<LiveProcesses> processes_ = std::make_shared<LiveProcesses>("softscope 0");
  Workspace workspace_{test::syntheticEngine()};
  QMainWindow window_;
  StepBar bar_;
  OpenSeries series_{workspace_, bar_};
  PythonLink link_{processes_, workspace_, series_};
  QStringList failures_;
};

TEST_F(PythonLinkTest, AModelJoinsWithItsPicture) {
  auto client = connected(R"(, "picture": true)");
  QTest::qWait(100);
  EXPECT_TRUE(workspace_.models().all().empty()) << "its picture has not come yet";
  client.send(R"({"type": "picture", "width": 2, "height": 1, "name": "/home/me/cat.jpg"})",
              "abcdef");
  ASSERT_TRUE(comesTo({"vit"}));
  EXPECT_EQ(workspace_.models().current()->request.path, "live:vit");
  ASSERT_TRUE(workspace_.picture().get());
  const std::vector<std::uint8_t> pixels{'a', 'b', 'c', 'd', 'e', 'f'};
  EXPECT_EQ(workspace_.picture().get()->rgb, pixels);
  EXPECT_EQ(workspace_.picture().get()->path, "cat.jpg");
  EXPECT_FALSE(workspace_.picture().isFile());
}

TEST_F(PythonLinkTest, AModelThatComesBackTakesItsPlace) {
  auto first = std::make_unique<test::LiveClient>(connected(""));
  ASSERT_TRUE(comesTo({"vit"}));
  const auto other = connected("", "other");
  ASSERT_TRUE(comesTo({"vit", "other"}));
  first.reset();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !failures_.isEmpty(); }, test::patience));
  EXPECT_TRUE(failures_.front().contains("“vit” is gone")) << failures_.front().toStdString();
  EXPECT_EQ(workspace_.models().all().size(), 2u) << "what it answered stays";
  const int before = workspace_.models().all()[0].id;
  const QSignalSpy connectedAgain(&link_, &PythonLink::connected);
  const auto again = connected("");
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return workspace_.models().all()[0].id != before; }, test::patience));
  EXPECT_TRUE(comesTo({"vit", "other"}));
  EXPECT_EQ(connectedAgain.count(), 1);
}

TEST_F(PythonLinkTest, NonsenseIsALine) {
  auto client = connected("");
  ASSERT_TRUE(comesTo({"vit"}));
  client.sendBytes("GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(QTest::qWaitFor([this] { return !failures_.isEmpty(); }, test::patience));
  EXPECT_TRUE(failures_.front().contains("does not speak Softscope's protocol"));
}

TEST_F(PythonLinkTest, WhoeverLooksAtTheLastStepFollowsTheTraining) {
  auto client = connected(R"(, "series": true)", "run");
  const auto step = [&client](int number) {
    client.send(R"({"type": "step", "step": )" + std::to_string(number) + "}", "recording");
  };
  EXPECT_TRUE(workspace_.models().all().empty());
  step(0);
  ASSERT_TRUE(comesTo({"run, step 0"}));
  EXPECT_TRUE(bar_.isVisible());
  step(10);
  ASSERT_TRUE(comesTo({"run, step 10"}));
  auto* slider = bar_.findChild<QSlider*>();
  EXPECT_EQ(slider->maximum(), 1);
  EXPECT_EQ(slider->value(), 1);
  slider->setValue(0);
  ASSERT_TRUE(comesTo({"run, step 0"}));
  step(20);
  ASSERT_TRUE(QTest::qWaitFor([&] { return slider->maximum() == 2; }, test::patience));
  EXPECT_TRUE(comesTo({"run, step 0"})) << "whoever went back stays there";
  slider->setValue(2);
  EXPECT_TRUE(comesTo({"run, step 20"}));
  const auto other = connected("", "vit");
  ASSERT_TRUE(comesTo({"run, step 20", "vit"}));
  EXPECT_FALSE(bar_.isVisible()) << "the current model is no series";
}

TEST_F(PythonLinkTest, AModelThatComesBackWhileItIsOpenedIsOpenedOnce) {
  const auto isHeld = std::make_shared<std::atomic<bool>>(true);
  workspace_.worker().submit(Worker::Kind::Columns, QStringLiteral("held"),
                             [isHeld](const Progress& progress) -> Worker::Delivery {
                               while (*isHeld) {
                                 progress.throwIfCancelled();
                                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
                               }
                               return {};
                             });
  auto first = std::make_unique<test::LiveClient>(connected(""));
  ASSERT_TRUE(QTest::qWaitFor([this] { return workspace_.queue().arriving().size() == 1; },
                              test::patience));
  first.reset();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !failures_.isEmpty(); }, test::patience));
  const QSignalSpy connectedAgain(&link_, &PythonLink::connected);
  const auto again = connected("");
  ASSERT_TRUE(QTest::qWaitFor([&] { return connectedAgain.count() == 1; }, test::patience));
  EXPECT_EQ(workspace_.queue().arriving().size(), 1u);
  *isHeld = false;
  EXPECT_TRUE(comesTo({"vit"}));
}

}  // namespace
}  // namespace softscope
