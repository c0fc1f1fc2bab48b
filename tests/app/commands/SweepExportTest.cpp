#include "app/figures/drawing/HeadlessApplication.h"
#include "app/window/MainWindow.h"
#include "app/window/SweepExport.h"
#include "core/Error.h"
#include "core/network/Device.h"
#include "models/NetworkEngine.h"
#include "tests/app/commands/Run.h"
#include "tests/app/window/WindowFixture.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

namespace softscope {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string boxOfSweptWindow = std::string(SOFTSCOPE_SOURCE) + "/resources/";

/// The window on a bundled model or, of it and another, the steps of a training.
class SweepExportTest : public test::WindowFixture {
 protected:
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  void open(const std::string& model) {
    // A sum does not depend on the number of threads then, so that both files are the same.
    setComputeThreads(1);
    WindowOptions options;
    options.threads = 1;
    options.picturePath = boxOfSweptWindow + "pictures/chelsea.png";
    ModelRequest request;
    request.path = model;
    options.models.push_back(request);
    start(networkEngine(), std::move(options));
    settings_.frameWidth = 300;
  }
  /// Writes the sweep, and expects the copied command to write the same bytes.
  void expectSameFromCommand(const std::string& name) {
    QSignalSpy failed(&window_->sweepExport(), &SweepExport::failed);
    QSignalSpy written(&window_->sweepExport(), &SweepExport::written);
    const QString path = QString::fromStdString(folder_ / name);
    const std::string command = window_->sweepExport().command(settings_, path);
    EXPECT_THAT(command, StartsWith("softscope figure sweep -m "));
    ASSERT_TRUE(window_->sweepExport().write(settings_, path))
        << failed[0][0].toString().toStdString();
    settle();
    ASSERT_EQ(written.count(), 1);
    EXPECT_EQ(written[0][0].toString(), path);
    const std::string bytes = contentOf(folder_ / name);
    ASSERT_GT(bytes.size(), 1000u);
    const auto outcome = test::softscope(command.substr(std::string("softscope ").size()));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.errors << command;
    EXPECT_EQ(outcome.errors, "") << command;
    EXPECT_EQ(contentOf(folder_ / name), bytes) << command;
  }

  static inline std::unique_ptr<HeadlessApplication> application_;
  const TemporaryFolder folder_;
  SweepSettings settings_;
};

const std::string sweptModel = boxOfSweptWindow + "checkpoints/soft_everyday10.safetensors";

TEST_F(SweepExportTest, APathGoesAcrossOrThroughThePins) {
  open(sweptModel);
  settings_.loops = 2;
  expectSameFromCommand("across.gif");
  AskedQueries& queries = window_->workspace().queries();
  queries.pin({0.4, 0.3});
  queries.pin({0.6, 0.4});
  queries.pin({0.5, 0.7});
  settings_.frames = 5;
  expectSameFromCommand("pins.webp");
}

TEST_F(SweepExportTest, EveryLayerAnswers) {
  open(sweptModel);
  settings_.over = SweepOver::Layers;
  expectSameFromCommand("layers.webp");
}

TEST_F(SweepExportTest, TheNetworkRunsWithOtherLandmarks) {
  open(sweptModel);
  settings_.over = SweepOver::Landmarks;
  settings_.framesPerSecond = 2;
  expectSameFromCommand("landmarks.webp");
}

TEST_F(SweepExportTest, EveryStepOfATrainingIsOpened) {
  const std::string box = boxOfSweptWindow + "checkpoints/";
  fs::create_directories(folder_ / "run");
  fs::copy_file(sweptModel, folder_ / "run/epoch_10.safetensors");
  fs::copy_file(box + "soft_norm_everyday10.safetensors", folder_ / "run/epoch_9.safetensors");
  open(folder_ / "run");
  settings_.over = SweepOver::Checkpoints;
  expectSameFromCommand("steps.webp");
}

TEST_F(SweepExportTest, SaysWhatCannotBeWritten) {
  open(sweptModel);
  QSignalSpy failed(&window_->sweepExport(), &SweepExport::failed);
  const auto refused = [&](const std::string& path, const std::string& phrase) {
    EXPECT_FALSE(window_->sweepExport().write(settings_, QString::fromStdString(path)));
    ASSERT_GT(failed.count(), 0);
    EXPECT_THAT(failed.last()[0].toString().toStdString(), HasSubstr(phrase));
  };
  refused("/nowhere/sweep.gif", "/nowhere");
  refused(folder_ / "sweep.png", ".gif or .webp");
  settings_.over = SweepOver::Checkpoints;
  refused(folder_ / "sweep.gif", "no step of a training");
  settings_.over = SweepOver::Query;
  const QString path = QString::fromStdString(folder_ / "twice.gif");
  EXPECT_TRUE(window_->sweepExport().write(settings_, path));
  refused(folder_ / "twice.gif", "still being written");
  settle();
  EXPECT_TRUE(fs::exists(folder_ / "twice.gif"));
}

TEST_F(SweepExportTest, AStoppedSweepLeavesNothing) {
  open(sweptModel);
  settings_.frames = 1000;
  QSignalSpy written(&window_->sweepExport(), &SweepExport::written);
  ASSERT_TRUE(
      window_->sweepExport().write(settings_, QString::fromStdString(folder_ / "long.webp")));
  Jobs& jobs = window_->workspace().jobs();
  ASSERT_TRUE(QTest::qWaitFor([&] { return jobs.all().back().fraction > 0.01; }, test::patience));
  jobs.stop(jobs.all().back().id);
  settle();
  EXPECT_EQ(written.count(), 0);
  window_.reset();
  EXPECT_TRUE(fs::is_empty(folder_ / ""));
}

}  // namespace
}  // namespace softscope
