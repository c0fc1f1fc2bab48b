#include "core/Error.h"
#include "core/files/FileVersion.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <set>

namespace softscope {
namespace {

ModelRequest requestFor(const std::string& path) {
  ModelRequest request;
  request.path = path;
  return request;
}

class ModelQueueTest : public testing::Test {
 protected:
  void settle() { test::settle(worker_); }
  std::vector<std::string> paths() const {
    std::vector<std::string> paths;
    for (const OpenedModel& model : models_.all()) paths.push_back(model.request.path);
    return paths;
  }
  /// A recording on a picture of its own, 6 x 4 pixels.
  static std::shared_ptr<const Model> recording(const ModelRequest& request, bool hasPicture) {
    ModelSummary summary = test::syntheticModel(request)->summary();
    summary.recorded = std::make_shared<const RecordedPicture>(
        RecordedPicture{6, 4, std::vector<std::uint8_t>(72, 9), hasPicture});
    summary.transform.extent = InputTransform::Extent::Recorded;
    summary.transform.part = {{0, 0, 6, 4}, 6, 4};
    return std::make_shared<Model>(summary, nullptr);
  }
  std::shared_ptr<const Model> open(const ModelRequest& request) {
    if (whileReading_) whileReading_();
    if (request.path == "rec.npz") return recording(request, true);
    if (request.path == "sheet.npz") return recording(request, false);
    if (request.path == "bad.pth") throw CheckpointError(request.path, "is not a checkpoint");
    const bool isOnGpu = request.device != "cpu";
    if (isOnGpu && request.path == "large.pth") throw GpuMemoryError("large.pth: no memory");
    auto model = test::syntheticModel(request);
    if (isOnGpu) onGpu_.insert(model.get());
    return model;
  }
  std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input) {
    ++runs_;
    if (onGpu_.contains(&model) && input.height > 32) throw GpuMemoryError("no memory to run");
    if (input.height > 400) throw InspectionError("takes at most 400 x 400");
    return test::syntheticInspection();
  }

  /// On a GPU that has memory for pictures of 32 x 32.
  static ModelRequest onGpu(const std::string& path) {
    ModelRequest request = requestFor(path);
    request.device = "cuda:0";
    return request;
  }
  std::vector<std::string> devices() const {
    std::vector<std::string> devices;
    for (const OpenedModel& model : models_.all()) devices.push_back(model.request.device);
    return devices;
  }

  std::atomic<int> runs_ = 0;
  /// The worker's.
  std::function<void()> whileReading_;
  /// The worker's.
  std::set<const Model*> onGpu_;
  Worker worker_;
  OpenedPicture picture_{worker_};
  OpenModels models_;
  ComparisonChoice comparison_;
  ShownLayers layers_{models_, comparison_, worker_};
  const Engine engine_ = test::syntheticEngine(
      [this](const ModelRequest& request, const Progress&) { return open(request); },
      [this](const Model& model, const InputTensor& input, const Progress&,
             const InspectionOptions&) { return inspect(model, input); });
  ModelQueue queue_{engine_, picture_, models_, layers_, worker_};
};

TEST_F(ModelQueueTest, ModelsAreThereBeforeAPictureAndSeeItWhenItComes) {
  queue_.openBeside(requestFor("a.pth"));
  queue_.openBeside(requestFor("b.pth"), {.becomesCurrent = false});
  settle();
  EXPECT_EQ(paths(), (std::vector<std::string>{"a.pth", "b.pth"}));
  EXPECT_EQ(models_.currentIndex(), 0);
  EXPECT_EQ(runs_, 0);
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  EXPECT_EQ(runs_, 2);
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
}

// The layer that a survey's point is of, for example, whatever layer the current model shows.
TEST_F(ModelQueueTest, AModelShowsTheLayerThatItIsOpenedFor) {
  queue_.openBeside(requestFor("a.pth"));
  settle();
  ASSERT_EQ(models_.all()[0].layer, "block1.0.attn");
  queue_.openBeside(requestFor("b.pth"), {.layer = "blocks.2.attn"});
  queue_.openBeside(requestFor("c.pth"), {.layer = "of another model"});
  settle();
  ASSERT_EQ(models_.all().size(), 3u);
  EXPECT_EQ(models_.all()[1].layer, "blocks.2.attn");
  EXPECT_EQ(models_.all()[2].layer, "blocks.2.attn") << "that of the current model";
}

TEST_F(ModelQueueTest, AModelIsKeptWhoseStepIsTakenBack) {
  queue_.openBeside(requestFor("a.pth"));
  settle();
  queue_.openAgain(models_.all()[0].id, requestFor("b.pth"), {});
  queue_.keep(models_.all()[0].id);
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
}

TEST_F(ModelQueueTest, ARecordingBringsItsPictureAndOthersSeeIt) {
  QObject::connect(&queue_, &ModelQueue::pictureBrought, &picture_, &OpenedPicture::show);
  queue_.openBeside(requestFor("a.pth"));
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  queue_.setInputSize({InputSize::Kind::Crop, 32, 32});
  settle();
  queue_.openBeside(requestFor("rec.npz"));
  settle();
  ASSERT_EQ(models_.all().size(), 2u);
  EXPECT_EQ(picture_.get()->width, 6);
  EXPECT_EQ(picture_.get()->path, "rec.npz");
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
  EXPECT_EQ(models_.all()[1].inputSize, InputSize()) << "it was made at one size";
  EXPECT_EQ(models_.all()[1].region, (PictureRegion{0, 0, 6, 4}));
}

TEST_F(ModelQueueTest, ARecordingShowsNothingOnAnotherPictureAndModelsDo) {
  QObject::connect(&queue_, &ModelQueue::pictureBrought, &picture_, &OpenedPicture::show);
  std::vector<bool> differs;
  QObject::connect(&worker_, &Worker::failed, &queue_,
                   [&](Worker::Kind, const WorkFailure& failure) {
                     differs.push_back(failure.isOfOtherPicture);
                   });
  queue_.openBeside(requestFor("rec.npz"));
  queue_.openBeside(requestFor("a.pth"), {.becomesCurrent = false});
  settle();
  EXPECT_EQ(queue_.ofOtherPicture(), nullptr);
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  EXPECT_EQ(picture_.get()->width, 128);
  EXPECT_FALSE(models_.all()[0].shownLayer()) << "its maps are of another picture";
  EXPECT_TRUE(models_.all()[0].failure.contains(QStringLiteral("recorded on a picture of its own")))
      << models_.all()[0].failure.toStdString();
  EXPECT_TRUE(models_.all()[1].shownLayer());
  EXPECT_EQ(differs, std::vector<bool>{true});
  EXPECT_EQ(queue_.ofOtherPicture(), &models_.all()[0]);
  queue_.bringPicture();
  settle();
  EXPECT_EQ(picture_.get()->width, 6);
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
  EXPECT_EQ(queue_.ofOtherPicture(), nullptr);
}

TEST_F(ModelQueueTest, ARecordingGivenBesideAPictureIsShownOnItsOwnAlone) {
  QObject::connect(&queue_, &ModelQueue::pictureBrought, &picture_, &OpenedPicture::show);
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(requestFor("rec.npz"), {.keepsPicture = true});
  settle();
  EXPECT_EQ(picture_.get()->width, 128);
  EXPECT_FALSE(models_.all()[0].shownLayer());
  queue_.openSaved({{requestFor("rec.npz"), {}, {}, {}}}, 0);
  settle();
  EXPECT_EQ(picture_.get()->width, 128) << "a workspace says itself which picture it has";
  EXPECT_FALSE(models_.all()[1].shownLayer());
  queue_.bringPicture();
  settle();
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
}

TEST_F(ModelQueueTest, ARecordingWithoutAPictureIsLaidOverAGivenOneAndSaysSo) {
  QObject::connect(&queue_, &ModelQueue::pictureBrought, &picture_, &OpenedPicture::show);
  queue_.openBeside(requestFor("sheet.npz"));
  queue_.openBeside(requestFor("a.pth"), {.becomesCurrent = false});
  settle();
  EXPECT_TRUE(models_.all()[0].shownLayer()) << "on a plain sheet";
  EXPECT_EQ(models_.all()[0].note, "");
  EXPECT_FALSE(models_.all()[1].shownLayer()) << "of which nothing is to be computed";
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  for (const OpenedModel& model : models_.all()) EXPECT_TRUE(model.shownLayer());
  EXPECT_EQ(models_.all()[0].note, "recorded without a picture, laid over one given");
  EXPECT_EQ(models_.all()[1].note, "");
}

TEST_F(ModelQueueTest, AFileThatCannotBeReadDoesNotKeepTheOthersWaiting) {
  queue_.openBeside(requestFor("bad.pth"));
  queue_.openBeside(requestFor("a.pth"));
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
}

TEST_F(ModelQueueTest, WhatIsTooLargeForTheGpuRunsOnTheCpuInItsPlace) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(onGpu("a.pth"), {.name = QStringLiteral("mine")});
  queue_.openBeside(requestFor("b.pth"), {.becomesCurrent = false});
  settle();
  ASSERT_EQ(models_.all().size(), 2u);
  EXPECT_FALSE(models_.all()[0].shownLayer());
  EXPECT_EQ(models_.all()[0].failure, QStringLiteral("no memory to run"));
  EXPECT_TRUE(queue_.lacksGpuMemory());
  queue_.runOnCpu();
  settle();
  EXPECT_EQ(paths(), (std::vector<std::string>{"a.pth", "b.pth"}));
  EXPECT_EQ(devices(), (std::vector<std::string>{"cpu", "cpu"}));
  EXPECT_TRUE(models_.all()[0].shownLayer());
  EXPECT_EQ(models_.all()[0].givenName, QStringLiteral("mine"));
  EXPECT_FALSE(queue_.lacksGpuMemory());
}

TEST_F(ModelQueueTest, AModelThatDoesNotEvenOpenOnTheGpuOpensOnTheCpu) {
  queue_.openBeside(onGpu("large.pth"));
  settle();
  EXPECT_TRUE(models_.all().empty());
  queue_.runOnCpu();
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"large.pth"});
  EXPECT_EQ(devices(), std::vector<std::string>{"cpu"});
}

TEST_F(ModelQueueTest, ASizeThatIsTooLargeForTheGpuIsKeptOnTheCpu) {
  queue_.setFirstInputSize({InputSize::Kind::Crop, 32, 32});
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(onGpu("a.pth"));
  settle();
  EXPECT_FALSE(queue_.lacksGpuMemory());
  queue_.setInputSize({InputSize::Kind::Crop, 96, 96});
  settle();
  EXPECT_TRUE(models_.all()[0].shownLayer()) << "what it saw before";
  queue_.runOnCpu();
  settle();
  EXPECT_EQ(devices(), std::vector<std::string>{"cpu"});
  EXPECT_EQ(models_.all()[0].inputSize, (InputSize{InputSize::Kind::Crop, 96, 96}));
}

TEST_F(ModelQueueTest, AModelThatFitsAfterAllIsNotMoved) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(onGpu("a.pth"));
  settle();
  queue_.setInputSize({InputSize::Kind::Crop, 32, 32});
  settle();
  EXPECT_TRUE(models_.all()[0].shownLayer());
  EXPECT_FALSE(queue_.lacksGpuMemory());
  queue_.runOnCpu();
  settle();
  EXPECT_EQ(devices(), std::vector<std::string>{"cuda:0"});
}

TEST_F(ModelQueueTest, AnAnalysisThatIsTooLargeMovesTheModelsThatItMayAsk) {
  queue_.openBeside(requestFor("a.pth"));
  queue_.openBeside(onGpu("b.pth"));
  settle();
  worker_.submit(Worker::Kind::Analysis, QStringLiteral("analysis"),
                 [](const Progress&) -> Worker::Delivery { throw GpuMemoryError("no memory"); });
  settle();
  queue_.runOnCpu();
  settle();
  EXPECT_EQ(paths(), (std::vector<std::string>{"a.pth", "b.pth"}));
  EXPECT_EQ(devices(), (std::vector<std::string>{"cpu", "cpu"}));
}

TEST_F(ModelQueueTest, TheNewestOfSeveralWishesForOnePlaceIsTheOneThatComes) {
  queue_.open(requestFor("a.pth"));
  queue_.open(requestFor("b.pth"));
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"b.pth"});
  queue_.open(requestFor("c.pth"));
  queue_.open(requestFor("d.pth"));
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"d.pth"});
}

TEST_F(ModelQueueTest, WhatIsOnItsWayIsKnownUntilItIsThere) {
  queue_.openSaved({{requestFor("a.pth"), {}, "blocks.2.attn", {}},
                    {requestFor("b.pth"), {}, "block2.0.attn", {}}},
                   1);
  ASSERT_EQ(queue_.arriving().size(), 2u);
  EXPECT_EQ(queue_.arriving()[1].layer, "block2.0.attn");
  settle();
  EXPECT_TRUE(queue_.arriving().empty());
  EXPECT_EQ(models_.currentIndex(), 1);
  EXPECT_EQ(models_.all()[0].layer, "blocks.2.attn");
}

TEST_F(ModelQueueTest, AFileWithOtherContentThanWhenItWasSavedIsOpenedAndTold) {
  QSignalSpy told(&queue_, &ModelQueue::fileDiffers);
  const std::string path = test::writeTestPicture(8, 8, "checkpoint.png");
  const QString fingerprint = QString::fromStdString(fileFingerprint(path));
  queue_.openSaved({{requestFor(path), {}, {}, fingerprint}}, 0);
  settle();
  EXPECT_EQ(told.count(), 0);
  queue_.openSaved({{requestFor(path), {}, {}, QStringLiteral("another")}}, 0);
  settle();
  EXPECT_EQ(told.count(), 1);
  EXPECT_EQ(models_.all().size(), 2u);
}

TEST_F(ModelQueueTest, AModelWhoseClassNamesAreGoneIsOpenedAndTold) {
  QSignalSpy told(&queue_, &ModelQueue::fileDiffers);
  const std::string names = test::writeTestPicture(8, 8, "names.png");
  ModelState saved{requestFor("a.pth"), {}, {}, {}};
  saved.request.classNames = names;
  queue_.openSaved({saved}, 0);
  settle();
  EXPECT_EQ(told.count(), 0);
  saved.request.classNames = "/nowhere/names.txt";
  queue_.openSaved({saved}, 0);
  settle();
  ASSERT_EQ(told.count(), 1);
  EXPECT_TRUE(told[0][1].toString().contains(QStringLiteral("/nowhere/names.txt")));
  ASSERT_EQ(models_.all().size(), 2u);
  EXPECT_EQ(models_.all()[0].request.classNames, names);
  EXPECT_FALSE(models_.all()[1].request.classNames);
}

TEST_F(ModelQueueTest, ASizeBeforeAnyModelIsThatOfTheFirst) {
  const InputSize size{InputSize::Kind::Whole, 96, 96};
  queue_.setInputSize(size);
  queue_.open(requestFor("a.pth"));
  settle();
  EXPECT_EQ(models_.current()->inputSize, size);
}

TEST_F(ModelQueueTest, ARunThatFailsSaysWhyAndIsTriedAgainWhenItIsAskedFor) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.setFirstInputSize({InputSize::Kind::Whole, 500, 500});
  queue_.open(requestFor("a.pth"));
  settle();
  ASSERT_TRUE(models_.current());
  EXPECT_EQ(models_.current()->failure, QStringLiteral("takes at most 400 x 400"));
  EXPECT_EQ(runs_, 1);
  queue_.inspectAgain();
  settle();
  EXPECT_EQ(runs_, 2);
  queue_.setInputSize({InputSize::Kind::Whole, 64, 64});
  settle();
  EXPECT_TRUE(models_.shownLayer());
}

TEST_F(ModelQueueTest, LandmarksAreAskedForAndLeftWhereAMechanismHasNone) {
  queue_.open(requestFor("a.pth"));
  settle();
  const LandmarkChoice pooled{LandmarkSource::Pooled, 16};
  queue_.setLandmarks(pooled);
  settle();
  EXPECT_EQ(models_.current()->request.landmarks, pooled);
  queue_.setAttention("soft++");
  settle();
  EXPECT_EQ(models_.current()->request.landmarks, pooled);
  queue_.setAttention("gaussian");
  settle();
  EXPECT_EQ(models_.current()->request.attention, "gaussian");
  EXPECT_TRUE(models_.current()->request.landmarks.isTrained());
}

TEST_F(ModelQueueTest, AMechanismThatIsWishedBackKeepsItsLandmarks) {
  queue_.open(requestFor("a.pth"));
  settle();
  const LandmarkChoice first{LandmarkSource::First};
  queue_.setLandmarks(first);
  settle();
  queue_.setAttention("gaussian");
  queue_.setAttention("soft");
  settle();
  EXPECT_EQ(models_.current()->request.landmarks, first);
}

TEST_F(ModelQueueTest, CancelForgetsWhatWaitsAndKeepsWhatWasRead) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(requestFor("a.pth"));
  queue_.openBeside(requestFor("b.pth"));
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return worker_.isBusy(Worker::Kind::Inspection); }, test::patience));
  queue_.cancel();
  EXPECT_FALSE(worker_.isBusy());
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
  EXPECT_FALSE(models_.current()->failure.isEmpty());
}

TEST_F(ModelQueueTest, AModelOpenedAgainStaysSilencedAndKeepsItsCollectedHeads) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  queue_.openBeside(requestFor("a.pth"));
  settle();
  models_.silence(0, true);
  models_.collect(0, {"block2.0.attn", 1});
  queue_.setAttention("gaussian");
  settle();
  ASSERT_EQ(models_.all()[0].summary().mechanism, "gaussian");
  EXPECT_TRUE(models_.all()[0].marks.isSilenced);
  EXPECT_EQ(models_.all()[0].marks.collected.size(), 1u);
  queue_.open(requestFor("other.pth"));
  settle();
  ASSERT_EQ(models_.all()[0].request.path, "other.pth");
  EXPECT_FALSE(models_.all()[0].marks.isSilenced) << "another file is another model";
}

TEST_F(ModelQueueTest, ATellOfTrainedLandmarksOutlivesAnotherMechanism) {
  ModelRequest request = requestFor("a.pth");
  request.attention = "nystrom";
  queue_.open(request);
  settle();
  queue_.setSetting("landmarks", "32");
  settle();
  const LandmarkChoice told{LandmarkSource::Trained, 32};
  ASSERT_EQ(models_.current()->request.landmarks, told);
  queue_.setAttention("softmax");
  settle();
  ASSERT_EQ(models_.current()->request.attention, "softmax");
  EXPECT_EQ(models_.current()->request.landmarks, LandmarkChoice());
  EXPECT_EQ(queue_.requestWith(*models_.current(), "nystrom").landmarks, told);
  queue_.setAttention("nystrom");
  settle();
  EXPECT_EQ(models_.current()->request.landmarks, told);
  queue_.open(requestFor("b.pth"));
  settle();
  EXPECT_EQ(queue_.requestWith(*models_.current(), "nystrom").landmarks, LandmarkChoice())
      << "nothing was told of another file";
}

TEST_F(ModelQueueTest, ClassNamesKeepAChangeThatIsStillBeingMade) {
  queue_.open(requestFor("a.pth"));
  settle();
  queue_.setAttention("gaussian");
  queue_.nameClasses(0, "names.txt");
  settle();
  ASSERT_EQ(models_.all().size(), 1u);
  EXPECT_EQ(models_.current()->request.attention, "gaussian");
  EXPECT_EQ(models_.current()->request.classNames, "names.txt");
}

TEST_F(ModelQueueTest, AModelIsOpenedBesideOthersAtASizeOfItsOwn) {
  queue_.openBeside(requestFor("a.pth"));
  settle();
  queue_.setInputSize({InputSize::Kind::Crop, 96, 96});
  const InputSize size{InputSize::Kind::Crop, 32, 32};
  queue_.openBeside(requestFor("b.pth"), {.inputSize = size});
  queue_.openBeside(requestFor("c.pth"), {.becomesCurrent = false});
  settle();
  ASSERT_EQ(models_.all().size(), 3u);
  EXPECT_EQ(models_.all()[1].wantedSize(), size);
  EXPECT_EQ(models_.all()[2].wantedSize(), (InputSize{InputSize::Kind::Crop, 96, 96}));
}

TEST_F(ModelQueueTest, WhatIsWantedCountsWhatIsStillBeingOpened) {
  queue_.openBeside(requestFor("a.pth"));
  settle();
  const int id = models_.all()[0].id;
  queue_.openAgain(id, requestFor("b.pth"), {});
  queue_.openBeside(requestFor("c.pth"));
  const std::vector<WantedModel> wanted = queue_.wanted();
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[0].request.path, "b.pth");
  EXPECT_EQ(wanted[0].id, id);
  EXPECT_TRUE(wanted[0].isPending);
  EXPECT_EQ(wanted[1].request.path, "c.pth");
  EXPECT_FALSE(wanted[1].id);
  settle();
  for (const WantedModel& model : queue_.wanted()) EXPECT_FALSE(model.isPending);
}

TEST_F(ModelQueueTest, WhatIsBeingOpenedOrRunIsOpenedAgainOnce) {
  picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
  EXPECT_FALSE(queue_.openArrivingAgain("a.pth"));
  queue_.openBeside(requestFor("a.pth"));
  EXPECT_TRUE(queue_.openArrivingAgain("a.pth"));
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return worker_.isBusy(Worker::Kind::Inspection); }, test::patience));
  EXPECT_TRUE(queue_.openArrivingAgain("a.pth"));
  EXPECT_FALSE(worker_.isBusy(Worker::Kind::Inspection)) << "it is read again first";
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
  EXPECT_TRUE(models_.all()[0].shownLayer());
}

TEST_F(ModelQueueTest, AFileThatIsReplacedWhileItIsReadHasNoFingerprint) {
  const std::string path = test::writeTestPicture(8, 8, "replaced.png");
  whileReading_ = [path] { std::ofstream(path, std::ios::app) << "more"; };
  queue_.openBeside(requestFor(path));
  settle();
  whileReading_ = nullptr;
  queue_.openBeside(requestFor(path));
  settle();
  ASSERT_EQ(models_.all().size(), 2u);
  EXPECT_TRUE(models_.all()[0].fingerprint.isEmpty());
  EXPECT_FALSE(models_.all()[1].fingerprint.isEmpty());
}

TEST_F(ModelQueueTest, WhatAWorkspaceCouldNotOpenStaysUntilTheUserOpensIt) {
  const auto unopened = [this] {
    std::vector<std::string> paths;
    for (const UnopenedModel& model : queue_.unopened()) paths.push_back(model.state.request.path);
    return paths;
  };
  ModelState bad{requestFor("bad.pth"), {}, "blocks.2.attn", {}};
  bad.givenName = QStringLiteral("mine");
  queue_.openSaved({{requestFor("gone.pth"), {}, {}, {}}, {requestFor("a.pth"), {}, {}, {}}, bad},
                   2, {QStringLiteral("gone.pth")});
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
  ASSERT_EQ(unopened(), (std::vector<std::string>{"gone.pth", "bad.pth"}));
  EXPECT_EQ(queue_.unopened()[1].place, 2);
  EXPECT_TRUE(queue_.unopened()[1].isCurrent);
  EXPECT_EQ(queue_.unopened()[1].state.layer, "blocks.2.attn");
  EXPECT_EQ(queue_.unopened()[1].state.givenName, QStringLiteral("mine"));
  queue_.openBeside(requestFor("gone.pth"));
  settle();
  EXPECT_EQ(unopened(), std::vector<std::string>{"bad.pth"});
  queue_.openBeside(requestFor("bad.pth"));
  settle();
  EXPECT_EQ(unopened(), std::vector<std::string>{"bad.pth"}) << "it fails again";
  queue_.openSaved({}, 0);
  EXPECT_TRUE(unopened().empty()) << "another workspace";
}

TEST_F(ModelQueueTest, AModelInFrontThatDidNotOpenGivesWayToOneOpenedInItsPlace) {
  queue_.openSaved({{requestFor("bad.pth"), {}, {}, {}}, {requestFor("gone.pth"), {}, {}, {}}}, 0,
                   {QStringLiteral("gone.pth")});
  settle();
  ASSERT_EQ(queue_.unopened().size(), 2u);
  queue_.open(requestFor("a.pth"));
  settle();
  ASSERT_EQ(queue_.unopened().size(), 1u);
  EXPECT_EQ(queue_.unopened()[0].state.request.path, "gone.pth");
}

// Esc also dismisses messages, such as that another model of the workspace is missing.
TEST_F(ModelQueueTest, ModelsOfAWorkspaceStayInItIfTheirOpeningIsCancelled) {
  queue_.openSaved({{requestFor("a.pth"), {}, {}, {}}, {requestFor("b.pth"), {}, {}, {}}}, 0);
  queue_.openBeside(requestFor("c.pth"));
  queue_.cancel();
  settle();
  EXPECT_TRUE(models_.all().empty());
  ASSERT_EQ(queue_.unopened().size(), 2u) << "the third is no part of it";
  EXPECT_EQ(queue_.unopened()[1].state.request.path, "b.pth");
}

TEST_F(ModelQueueTest, ASavedModelWhoseDeviceIsNotThereRunsOnTheCpu) {
  whileReading_ = [] { throw DeviceError("device cuda:0 is not there"); };
  queue_.openSaved({{onGpu("a.pth"), {}, {}, {}}}, 0);
  settle();
  whileReading_ = nullptr;
  EXPECT_EQ(queue_.unopened().size(), 1u);
  ASSERT_TRUE(queue_.lacksGpuMemory());
  queue_.runOnCpu();
  EXPECT_TRUE(queue_.unopened().empty()) << "it is being opened";
  settle();
  EXPECT_EQ(paths(), std::vector<std::string>{"a.pth"});
  EXPECT_EQ(devices(), std::vector<std::string>{"cpu"});
  EXPECT_TRUE(queue_.unopened().empty());
}

TEST_F(ModelQueueTest, AChangeOfAModelLeavesTheSameFileThatDidNotOpenInTheWorkspace) {
  int reads = 0;
  whileReading_ = [&reads] {
    if (++reads == 1) throw DeviceError("device cuda:0 is not there");
  };
  queue_.openSaved({{onGpu("a.pth"), {}, {}, {}}, {requestFor("a.pth"), {}, {}, {}}}, 1);
  settle();
  ASSERT_EQ(devices(), std::vector<std::string>{"cpu"});
  ASSERT_EQ(queue_.unopened().size(), 1u);
  queue_.setSetting("epsilon", "1e-3");
  settle();
  EXPECT_EQ(models_.current()->request.epsilon, "1e-3");
  EXPECT_EQ(queue_.unopened().size(), 1u);
}

}  // namespace
}  // namespace softscope
