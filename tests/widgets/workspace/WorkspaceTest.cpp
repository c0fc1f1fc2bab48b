#include "core/Error.h"
#include "core/Progress.h"
#include "tests/widgets/SlowColumns.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/ModelRun.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

std::shared_ptr<const Model> openUnlessBad(const ModelRequest& request, const Progress&) {
  if (request.path == "bad.pth") throw CheckpointError(request.path, "is not a checkpoint");
  return test::syntheticModel(request);
}

std::shared_ptr<const Inspection> inspectUnlessLarge(const Model&, const InputTensor& input,
                                                     const Progress&, const InspectionOptions&) {
  if (input.height > 400) throw InspectionError("takes at most 400 x 400");
  return test::syntheticInspection();
}

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() : workspace_(test::syntheticEngine(openUnlessBad, inspectUnlessLarge)) {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().open(request);
    settle();
  }
  void settle() { test::settle(workspace_); }

  Workspace workspace_;
};

TEST_F(WorkspaceTest, OpensBothAndShowsTheFirstLayer) {
  ASSERT_TRUE(workspace_.models().shownLayer());
  EXPECT_EQ(workspace_.models().current()->layer, "block1.0.attn");
  EXPECT_EQ(askedHeads(workspace_)->values.size(), 3u);
  EXPECT_EQ(workspace_.queries().grid(), (TokenGrid{8, 8}));
}

TEST_F(WorkspaceTest, AnotherMechanismKeepsLayerAndQuery) {
  workspace_.layers().choose("block2.0.attn");
  workspace_.queries().askPatch({3, 3});
  workspace_.queue().setAttention("gaussian");
  EXPECT_TRUE(workspace_.models().shownLayer())
      << "the old model is shown until the new one is ready";
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models().current()->layer, "block2.0.attn");
  EXPECT_EQ(workspace_.queries().token(), 15);
  EXPECT_EQ(headsSubject(workspace_).mechanismNote, "not what was trained");
}

TEST_F(WorkspaceTest, AChoiceMadeBeforeAnotherHasArrivedKeepsBoth) {
  const InputSize size{InputSize::Kind::Whole, 96, 96};
  workspace_.queue().setAttention("gaussian");
  workspace_.queue().setInputSize(size);
  workspace_.queue().setHeads(7);
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models().current()->request.heads, 7);
  EXPECT_EQ(workspace_.models().current()->inputSize, size);
  EXPECT_FALSE(workspace_.models().current()->nextSize);

  workspace_.queue().setInputSize({});
  workspace_.queue().setAttention("soft++");
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "soft++");
  EXPECT_EQ(workspace_.models().current()->inputSize, InputSize());
}

TEST_F(WorkspaceTest, AChoiceTakenBackBeforeItHasArrivedDoesNotArrive) {
  const int id = workspace_.models().current()->id;
  workspace_.queue().setAttention("gaussian");
  workspace_.queue().setAttention("soft");
  workspace_.queue().setInputSize({InputSize::Kind::Whole, 96, 96});
  workspace_.queue().setInputSize({});
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "soft");
  EXPECT_EQ(workspace_.models().current()->inputSize, InputSize());
  EXPECT_EQ(workspace_.models().current()->id, id) << "it was not even opened again";
}

TEST_F(WorkspaceTest, ALayerChosenWhileAnotherMechanismRunsIsShownByIt) {
  workspace_.queue().setAttention("gaussian");
  ASSERT_TRUE(QTest::qWaitFor(
      [this] { return workspace_.worker().isBusy(Worker::Kind::Inspection); }, test::patience));
  workspace_.layers().choose("blocks.2.attn");
  settle();
  EXPECT_EQ(workspace_.models().current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models().current()->layer, "blocks.2.attn");
}

TEST_F(WorkspaceTest, AModelClosedWhileItIsOpenedAnewStaysClosed) {
  workspace_.queue().setAttention("gaussian");
  ASSERT_TRUE(QTest::qWaitFor(
      [this] { return workspace_.worker().isBusy(Worker::Kind::Inspection); }, test::patience));
  workspace_.queue().close(0);
  settle();
  EXPECT_TRUE(workspace_.models().all().empty());
}

TEST_F(WorkspaceTest, ASizeChosenBeforeAPictureIsOpenedIsThatPicturesSize) {
  const InputSize size{InputSize::Kind::Whole, 96, 96};
  workspace_.queue().setInputSize(size);
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(workspace_.picture().get()->width, 64);
  EXPECT_EQ(workspace_.models().current()->inputSize, size);
}

TEST(WorkspaceStart, AModelOpenedMeanwhileTakesNothingFromThoseOnTheirWay) {
  Workspace workspace(test::syntheticEngine(openUnlessBad, inspectUnlessLarge));
  for (const char* path : {"a.pth", "b.pth", "c.pth"}) {
    ModelRequest request;
    request.path = path;
    workspace.queue().openBeside(request);
  }
  for (const char* path : {"wrong.pth", "d.pth"}) {
    ModelRequest request;
    request.path = path;
    workspace.queue().open(request);
  }
  test::settle(workspace);
  std::set<std::string> names;
  for (const OpenedModel& model : workspace.models().all()) names.insert(model.request.path);
  EXPECT_EQ(names, (std::set<std::string>{"a.pth", "b.pth", "c.pth", "d.pth"}));
}

TEST_F(WorkspaceTest, AFailureLeavesEverythingAsItWas) {
  QSignalSpy failures(&workspace_, &Workspace::failed);
  ModelRequest request;
  request.path = "bad.pth";
  workspace_.queue().open(request);
  settle();
  workspace_.queue().setInputSize({InputSize::Kind::Whole, 500, 500});
  settle();
  workspace_.picture().open(QStringLiteral("nowhere.png"));
  settle();
  EXPECT_EQ(failures.count(), 3);
  EXPECT_TRUE(workspace_.models().shownLayer());
  EXPECT_EQ(workspace_.models().current()->request.path, "soft.pth");
  EXPECT_EQ(workspace_.models().current()->inputSize, InputSize());
}

TEST_F(WorkspaceTest, ASizeChosenWhileAPictureIsReadIsThatPicturesSize) {
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(32, 32, "small.png")));
  const InputSize size{InputSize::Kind::Whole, 64, 64};
  workspace_.queue().setInputSize(size);
  settle();
  EXPECT_EQ(workspace_.picture().get()->width, 32);
  EXPECT_EQ(workspace_.models().current()->inputSize, size);
  ASSERT_TRUE(workspace_.models().current()->inspection);
  EXPECT_LE(workspace_.models().current()->region.width, 32);
}

TEST_F(WorkspaceTest, CancelledRunsCanBeRunAgain) {
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  ASSERT_TRUE(
      QTest::qWaitFor([this] { return workspace_.picture().get()->width == 64; }, test::patience));
  workspace_.queue().cancel();
  EXPECT_FALSE(workspace_.worker().isBusy());
  workspace_.queue().inspectAgain();
  settle();
  EXPECT_TRUE(workspace_.models().shownLayer());
}

class ComparedModelsTest : public WorkspaceTest {
 protected:
  ComparedModelsTest() {
    ModelRequest request;
    request.path = "other.pth";
    workspace_.queue().openBeside(request);
    settle();
  }
};

TEST_F(ComparedModelsTest, ModelsStandBesideEachOther) {
  ASSERT_EQ(workspace_.models().all().size(), 2u);
  EXPECT_EQ(workspace_.models().currentIndex(), 1) << "a new model is the one panels show";
  EXPECT_EQ(workspace_.models().current()->name(), QStringLiteral("other"));
  const CompareSubject figure = compareSubject(workspace_);
  ASSERT_EQ(figure.rows.size(), 2u);
  EXPECT_EQ(figure.rows[0].modelName, "soft");
  EXPECT_EQ(figure.rows[1].modelName, "other");
}

TEST_F(ComparedModelsTest, AnotherMechanismTakesThePlaceOfTheCurrentModelAlone) {
  workspace_.models().setCurrent(0);
  workspace_.queue().setAttention("gaussian");
  settle();
  ASSERT_EQ(workspace_.models().all().size(), 2u);
  EXPECT_EQ(workspace_.models().all()[0].summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models().all()[1].summary().mechanism, "soft");
  EXPECT_EQ(workspace_.models().currentIndex(), 0);
}

TEST_F(ComparedModelsTest, WhatIsOpenedAnewLeavesTheOneInFrontInFront) {
  workspace_.models().setCurrent(0);
  workspace_.queue().setAttention("gaussian");
  workspace_.models().setCurrent(1);
  settle();
  EXPECT_EQ(workspace_.models().all()[0].summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models().currentIndex(), 1);
}

TEST_F(ComparedModelsTest, ANewPictureIsSeenByAll) {
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  ASSERT_EQ(workspace_.models().all().size(), 2u);
  for (const OpenedModel& model : workspace_.models().all()) EXPECT_NE(model.inspection, nullptr);
}

TEST_F(ComparedModelsTest, AModelThatCannotTakeThePictureSaysSoAndTheOtherIsShown) {
  workspace_.queue().setInputSize({InputSize::Kind::Whole, 400, 400});
  settle();
  workspace_.queue().cancel();
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  QSignalSpy failures(&workspace_, &Workspace::failed);
  ModelRequest request;
  request.path = "bad.pth";
  workspace_.queue().openBeside(request);
  settle();
  EXPECT_EQ(failures.count(), 1);
  EXPECT_EQ(workspace_.models().all().size(), 2u);
}

TEST_F(ComparedModelsTest, ClosingKeepsTheOther) {
  workspace_.queue().close(0);
  ASSERT_EQ(workspace_.models().all().size(), 1u);
  EXPECT_EQ(workspace_.models().current()->name(), QStringLiteral("other"));
  workspace_.queue().close(0);
  EXPECT_EQ(workspace_.models().current(), nullptr);
  EXPECT_FALSE(workspace_.models().shownLayer());
}

TEST_F(ComparedModelsTest, DifferencesAreOfTheFirstModelAndEachOther) {
  Comparison comparison = workspace_.comparison().settings();
  comparison.difference = Comparison::Difference::Normalised;
  workspace_.comparison().set(comparison);
  const CompareSubject figure = compareSubject(workspace_);
  ASSERT_EQ(figure.differences.size(), 1u);
  EXPECT_EQ(figure.differences[0], (RowDifference{0, 1, true}));
}

TEST_F(ComparedModelsTest, RestoresEverythingAsItWas) {
  workspace_.models().setCurrent(0);
  workspace_.layers().choose("block2.0.attn");
  workspace_.queries().askPatch({3, 2});
  workspace_.queries().pin({0.2, 0.3});
  workspace_.layers().setDirection(Direction::Columns);
  workspace_.view().zoom(2, {0.5, 0.5});
  workspace_.setPage(QStringLiteral("compare"));
  const WorkspaceState before = workspace_.state();

  Workspace other(test::syntheticEngine(openUnlessBad, inspectUnlessLarge));
  other.restore(readWorkspace(workspaceText(before, QStringLiteral("/")), QStringLiteral("/w")));
  test::settle(other);
  EXPECT_EQ(workspaceText(other.state(), {}), workspaceText(before, {}));
  EXPECT_TRUE(other.models().anyIsShown());
  EXPECT_EQ(other.queries().token(), workspace_.queries().token());
}

std::shared_ptr<const Inspection> inspectSlowColumns(const Model&, const InputTensor&,
                                                     const Progress&, const InspectionOptions&) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  for (LayerInspection& layer : inspection->layers) {
    layer.attention = std::make_shared<test::SlowColumns>(layer.attention);
  }
  return inspection;
}

class SlowColumnsTest : public testing::Test {
 protected:
  SlowColumnsTest() : workspace_(test::syntheticEngine(openUnlessBad, inspectSlowColumns)) {
    test::SlowColumns::mayEnd = false;
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "softmax.pth";
    workspace_.queue().open(request);
    settle();
  }
  void settle() { test::settle(workspace_); }
  void expectColumns() {
    EXPECT_EQ(workspace_.layers().direction(), Direction::Columns);
    const AttentionMap& map = *workspace_.models().current()->shownLayer()->attention;
    const Vector column = map.column(1, workspace_.queries().token());
    const AttentionValues answer = askedHeads(workspace_)->values[1];
    EXPECT_EQ(answer.patches, column.tail(answer.patches.size()));
  }

  Workspace workspace_;
};

TEST_F(SlowColumnsTest, TheDirectionChangesWhenTheyAreReady) {
  workspace_.layers().setDirection(Direction::Columns);
  EXPECT_TRUE(workspace_.worker().isBusy());
  EXPECT_EQ(workspace_.layers().direction(), Direction::Rows);
  workspace_.queries().askPatch({1, 1});
  EXPECT_EQ(
      askedHeads(workspace_)->values[0].patches,
      workspace_.models().current()->shownLayer()->attention->row(0, workspace_.queries().token()))
      << "rows are answered meanwhile";
  // Another layer, for which nothing was prepared.
  workspace_.layers().choose("block2.0.attn");
  test::SlowColumns::mayEnd = true;
  settle();
  expectColumns();
}

TEST_F(SlowColumnsTest, CancelAndRowsTakeTheWishBack) {
  workspace_.layers().setDirection(Direction::Columns);
  workspace_.queue().cancel();
  settle();
  EXPECT_EQ(workspace_.layers().direction(), Direction::Rows);
  workspace_.layers().setDirection(Direction::Columns);
  workspace_.layers().setDirection(Direction::Rows);
  test::SlowColumns::mayEnd = true;
  settle();
  EXPECT_EQ(workspace_.layers().direction(), Direction::Rows);
}

TEST_F(SlowColumnsTest, ANewPictureIsShownWithItsColumns) {
  test::SlowColumns::mayEnd = true;
  workspace_.layers().setDirection(Direction::Columns);
  settle();
  workspace_.picture().open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  expectColumns();
}

TEST_F(ComparedModelsTest, CollectedHeadsAreRowsOfTheirOwn) {
  OpenModels& models = workspace_.models();
  models.collect(0, {"block2.0.attn", 2});
  models.collect(1, {"block1.0.attn", 0});
  models.collect(1, {"block1.0.attn", 1});
  CompareSubject figure = compareSubject(workspace_);
  ASSERT_EQ(figure.rows.size(), 3u);
  EXPECT_EQ(figure.rows[0].modelName, "soft");
  EXPECT_EQ(figure.rows[2].modelName, "other");
  const std::vector<ComparedLine> lines = comparedLines(figure);
  ASSERT_EQ(lines.size(), 3u);
  for (const ComparedLine& line : lines) ASSERT_EQ(line.panels.size(), 1u);
  EXPECT_EQ(lines[0].panels[0].values.head, 2);
  EXPECT_EQ(lines[2].panels[0].values.head, 1);
  figure.differences = {{1, 2, false}, {0, 1, false}};
  const std::vector<ComparedAnswer> answers = answersOf(figure);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[3].values.size(), 1u);
  EXPECT_EQ(differenceName(figure.rows[1], figure.rows[2]),
            "block1.0.attn, head 0 − block1.0.attn, head 1");
  EXPECT_EQ(differenceName(figure.rows[0], figure.rows[1]),
            "soft, block2.0.attn, head 2 − other, block1.0.attn, head 0");
  std::set<std::string> names;
  const NamedArrays arrays = comparedArrays(answers);
  for (const auto& [name, array] : arrays) names.insert(name);
  EXPECT_EQ(names.size(), arrays.size());
  EXPECT_EQ(arrays[0].first.rfind("soft.block2_0_attn.", 0), 0u) << arrays[0].first;
}

TEST_F(ComparedModelsTest, ASilencedModelIsNotCompared) {
  workspace_.models().silence(0, true);
  const CompareSubject figure = compareSubject(workspace_);
  ASSERT_EQ(figure.rows.size(), 1u);
  EXPECT_EQ(figure.rows[0].modelName, "other");
}

TEST_F(WorkspaceTest, APictureThatIsBeingReadBelongsToItsState) {
  const QString path = QString::fromStdString(test::writeTestPicture(32, 32, "next.png"));
  workspace_.picture().open(path, asPublished);
  const WorkspaceState state = workspace_.state();
  EXPECT_EQ(state.picturePath, path);
  EXPECT_EQ(state.pictureReading, asPublished);
  workspace_.picture().decode("bytes", QStringLiteral("pasted"));
  EXPECT_EQ(workspace_.state().pictureBytes, QByteArray("bytes"));
  EXPECT_EQ(workspace_.state().pictureName, QStringLiteral("pasted"));
  EXPECT_EQ(workspace_.state().picturePath, QString());
  settle();
}

TEST_F(WorkspaceTest, PathsInItsStateHoldFromAnyFolder) {
  ModelRequest request;
  request.path = "named.pth";
  request.classNames = "names.txt";
  workspace_.queue().openBeside(request);
  workspace_.queue().openBeside({.path = "live:vit"});
  const auto check = [&](const char* when) {
    const std::vector<ModelState> models = workspace_.state().models;
    ASSERT_EQ(models.size(), 3u) << when;
    EXPECT_EQ(models[1].request.path, absolutePath("named.pth")) << when;
    EXPECT_EQ(models[1].request.classNames, absolutePath("names.txt")) << when;
    EXPECT_EQ(models[2].request.path, "live:vit") << when << ": that is a name";
  };
  check("while they are opened");
  settle();
  check("once they are open");
}

TEST(WorkspaceStart, TheModelInFrontIsKnownBeforeItHasArrived) {
  Workspace workspace(test::syntheticEngine(openUnlessBad, inspectUnlessLarge));
  std::vector<int> fronts;
  QObject::connect(&workspace.models(), &OpenModels::changed, &workspace,
                   [&] { fronts.push_back(workspace.state().current); });
  std::vector<ModelState> models(4);
  for (std::size_t i = 0; i < models.size(); ++i) {
    models[i].request.path = "model" + std::to_string(i) + ".pth";
  }
  workspace.queue().openSaved(models, 2);
  EXPECT_EQ(workspace.state().current, 2);
  test::settle(workspace);
  EXPECT_GE(fronts.size(), models.size());
  EXPECT_EQ(std::set<int>(fronts.begin(), fronts.end()), std::set<int>{2})
      << "it was told as each of them arrived";
  ModelRequest beside;
  beside.path = "beside.pth";
  workspace.queue().openBeside(beside, {.becomesCurrent = false});
  EXPECT_EQ(workspace.state().current, 2) << "what is opened behind leaves it there";
}

TEST_F(WorkspaceTest, ARunIsAnotherOnceItsFileWasWrittenBetweenThePiecesOfTheFingerprint) {
  const std::string path = test::writeTestPicture(8, 8, "weights.png");
  std::string bytes(9'000'000, 'a');
  const auto write = [&] { std::ofstream(path, std::ios::binary) << bytes; };
  const auto run = [&] {
    ModelRequest request;
    request.path = path;
    // Opened as new, so that the file is read again.
    workspace_.queue().openBeside(request);
    settle();
    return runOf(workspace_, workspace_.models().all().back());
  };
  write();
  const ModelRun first = run();
  EXPECT_EQ(run(), first) << "nothing was written";
  constexpr std::size_t betweenPieces = 100'000;
  bytes[betweenPieces] = 'b';
  const auto written = std::filesystem::last_write_time(path);
  write();
  // File systems keep time in steps that a test may not outlast.
  std::filesystem::last_write_time(path, written + std::chrono::seconds(1));
  const ModelRun second = run();
  EXPECT_EQ(second.fingerprint, first.fingerprint);
  EXPECT_FALSE(second == first);
}

}  // namespace
}  // namespace softscope
