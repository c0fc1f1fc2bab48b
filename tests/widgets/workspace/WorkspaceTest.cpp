#include "core/Error.h"
#include "core/Progress.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/workspace/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

namespace softscope {
namespace {

std::shared_ptr<const Model> openUnlessBad(const ModelRequest& request, const Progress&) {
  if (request.path == "bad.pth") throw CheckpointError(request.path, "is not a checkpoint");
  return test::syntheticModel(request);
}

std::shared_ptr<const Inspection> inspectUnlessLarge(const Model&, const InputTensor& input,
                                                     const Progress&) {
  if (input.height > 400) throw InspectionError("takes at most 400 x 400");
  return test::syntheticInspection();
}

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() : workspace_(openUnlessBad, inspectUnlessLarge) {
    workspace_.openPicture(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.openModel(request);
    settle();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return !workspace_.isBusy(); }));
  }

  Workspace workspace_;
};

TEST_F(WorkspaceTest, OpensBothAndShowsTheFirstLayer) {
  ASSERT_TRUE(workspace_.canExport());
  EXPECT_EQ(workspace_.current()->layer, "block1.0.attn");
  EXPECT_EQ(workspace_.answers().size(), 3u);
  EXPECT_EQ(workspace_.grid(), (TokenGrid{8, 8}));
}

TEST_F(WorkspaceTest, TheQueryStaysWhereItIsWhenTheLayerChanges) {
  workspace_.setQuery({0.9, 0.1});
  const PictureQuery before = workspace_.query();
  EXPECT_EQ(workspace_.token(), 0 * 8 + 7);
  workspace_.stepLayer(1);
  EXPECT_EQ(workspace_.query(), before);
  EXPECT_EQ(workspace_.token(), 0 * 4 + 3);
  workspace_.stepLayer(5);
  EXPECT_EQ(workspace_.current()->layer, "blocks.2.attn");
}

TEST_F(WorkspaceTest, UndoAndRedoWalkTheQueries) {
  const PictureQuery first = workspace_.query();
  workspace_.setPatch({1, 1});
  workspace_.setPatch({2, 5});
  workspace_.dragQuery({0.99, 0.99});
  workspace_.undoQuery();
  EXPECT_EQ(workspace_.token(), 9);
  workspace_.undoQuery();
  EXPECT_EQ(workspace_.query(), first);
  EXPECT_FALSE(workspace_.canUndo());
  workspace_.redoQuery();
  workspace_.redoQuery();
  EXPECT_EQ(workspace_.token(), 63) << "a drag is one step with the press it began with";
  EXPECT_FALSE(workspace_.canRedo());
}

TEST_F(WorkspaceTest, ADragThatBeginsOnTheQueryIsAStep) {
  workspace_.setPatch({1, 1});
  const PictureQuery before = workspace_.query();
  workspace_.setQuery(before);
  workspace_.dragQuery({0.6, 0.6});
  workspace_.dragQuery({0.99, 0.99});
  workspace_.undoQuery();
  EXPECT_EQ(workspace_.query(), before);
  workspace_.redoQuery();
  EXPECT_EQ(workspace_.token(), 63);
  EXPECT_FALSE(workspace_.canRedo());
}

TEST_F(WorkspaceTest, TheClassTokenIsAQueryWhereThereIsOne) {
  EXPECT_FALSE(workspace_.hasClassToken());
  workspace_.setLayer("blocks.2.attn");
  ASSERT_TRUE(workspace_.hasClassToken());
  workspace_.toggleClassToken();
  EXPECT_EQ(workspace_.token(), 0);
  workspace_.setLayer("block1.0.attn");
  EXPECT_FALSE(workspace_.asksClassToken());
}

TEST_F(WorkspaceTest, AnotherMechanismKeepsLayerAndQuery) {
  workspace_.setLayer("block2.0.attn");
  workspace_.setPatch({3, 3});
  workspace_.setAttention("gaussian");
  EXPECT_TRUE(workspace_.canExport()) << "the old model is shown until the new one is ready";
  settle();
  EXPECT_EQ(workspace_.current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.current()->layer, "block2.0.attn");
  EXPECT_EQ(workspace_.token(), 15);
  EXPECT_EQ(workspace_.figure().mechanismNote, "not what was trained");
}

TEST_F(WorkspaceTest, AChoiceMadeBeforeAnotherHasArrivedKeepsBoth) {
  const InputSize size{InputSize::Kind::Whole, 96, 96};
  workspace_.setAttention("gaussian");
  workspace_.setInputSize(size);
  workspace_.setHeads(7);
  settle();
  EXPECT_EQ(workspace_.current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.current()->request.heads, 7);
  EXPECT_EQ(workspace_.current()->inputSize, size);
  EXPECT_FALSE(workspace_.current()->nextSize);

  workspace_.setInputSize({});
  workspace_.setAttention("soft++");
  settle();
  EXPECT_EQ(workspace_.current()->summary().mechanism, "soft++");
  EXPECT_EQ(workspace_.current()->inputSize, InputSize());
}

TEST_F(WorkspaceTest, AChoiceTakenBackBeforeItHasArrivedDoesNotArrive) {
  const int id = workspace_.current()->id;
  workspace_.setAttention("gaussian");
  workspace_.setAttention("soft");
  workspace_.setInputSize({InputSize::Kind::Whole, 96, 96});
  workspace_.setInputSize({});
  settle();
  EXPECT_EQ(workspace_.current()->summary().mechanism, "soft");
  EXPECT_EQ(workspace_.current()->inputSize, InputSize());
  EXPECT_EQ(workspace_.current()->id, id) << "it was not even opened again";
}

TEST_F(WorkspaceTest, ALayerChosenWhileAnotherMechanismRunsIsShownByIt) {
  workspace_.setAttention("gaussian");
  ASSERT_TRUE(QTest::qWaitFor([this] { return workspace_.isInspecting(); }));
  workspace_.setLayer("blocks.2.attn");
  settle();
  EXPECT_EQ(workspace_.current()->summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.current()->layer, "blocks.2.attn");
}

TEST_F(WorkspaceTest, AModelClosedWhileItIsOpenedAnewStaysClosed) {
  workspace_.setAttention("gaussian");
  ASSERT_TRUE(QTest::qWaitFor([this] { return workspace_.isInspecting(); }));
  workspace_.closeModel(0);
  settle();
  EXPECT_TRUE(workspace_.models().empty());
}

TEST_F(WorkspaceTest, ASizeChosenBeforeAPictureIsOpenedIsThatPicturesSize) {
  const InputSize size{InputSize::Kind::Whole, 96, 96};
  workspace_.setInputSize(size);
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(workspace_.picture()->width, 64);
  EXPECT_EQ(workspace_.current()->inputSize, size);
}

TEST(WorkspaceStart, AModelOpenedMeanwhileTakesNothingFromThoseOnTheirWay) {
  Workspace workspace(openUnlessBad, inspectUnlessLarge);
  for (const char* path : {"a.pth", "b.pth", "c.pth"}) {
    ModelRequest request;
    request.path = path;
    workspace.openBeside(request);
  }
  for (const char* path : {"wrong.pth", "d.pth"}) {
    ModelRequest request;
    request.path = path;
    workspace.openModel(request);
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return !workspace.isBusy(); }));
  std::set<std::string> names;
  for (const OpenedModel& model : workspace.models()) names.insert(model.request.path);
  EXPECT_EQ(names, (std::set<std::string>{"a.pth", "b.pth", "c.pth", "d.pth"}));
}

TEST_F(WorkspaceTest, AFailureLeavesEverythingAsItWas) {
  QSignalSpy failures(&workspace_, &Workspace::failed);
  ModelRequest request;
  request.path = "bad.pth";
  workspace_.openModel(request);
  settle();
  workspace_.setInputSize({InputSize::Kind::Whole, 500, 500});
  settle();
  workspace_.openPicture(QStringLiteral("nowhere.png"));
  settle();
  EXPECT_EQ(failures.count(), 3);
  EXPECT_TRUE(workspace_.canExport());
  EXPECT_EQ(workspace_.current()->request.path, "soft.pth");
  EXPECT_EQ(workspace_.current()->inputSize, InputSize());
}

TEST_F(WorkspaceTest, ASizeChosenWhileAPictureIsReadIsThatPicturesSize) {
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(32, 32, "small.png")));
  const InputSize size{InputSize::Kind::Whole, 64, 64};
  workspace_.setInputSize(size);
  settle();
  EXPECT_EQ(workspace_.picture()->width, 32);
  EXPECT_EQ(workspace_.current()->inputSize, size);
  ASSERT_TRUE(workspace_.current()->inspection);
  EXPECT_LE(workspace_.current()->region.width, 32);
}

TEST_F(WorkspaceTest, CancelledRunsCanBeRunAgain) {
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  ASSERT_TRUE(QTest::qWaitFor([this] { return workspace_.picture()->width == 64; }));
  workspace_.cancel();
  EXPECT_FALSE(workspace_.isBusy());
  workspace_.inspectAgain();
  settle();
  EXPECT_TRUE(workspace_.canExport());
}

class ComparedModelsTest : public WorkspaceTest {
 protected:
  ComparedModelsTest() {
    ModelRequest request;
    request.path = "other.pth";
    workspace_.openBeside(request);
    settle();
  }
};

TEST_F(ComparedModelsTest, ModelsStandBesideEachOther) {
  ASSERT_EQ(workspace_.models().size(), 2u);
  EXPECT_EQ(workspace_.currentIndex(), 1) << "a new model is the one panels show";
  EXPECT_EQ(workspace_.current()->name(), QStringLiteral("other"));
  const CompareSubject figure = workspace_.compareFigure();
  ASSERT_EQ(figure.rows.size(), 2u);
  EXPECT_EQ(figure.rows[0].modelName, "soft");
  EXPECT_EQ(figure.rows[1].modelName, "other");
}

TEST_F(ComparedModelsTest, LinkedLayersFollowOneAnother) {
  workspace_.setLayerOf(0, "block2.0.attn");
  EXPECT_EQ(workspace_.models()[1].layer, "block2.0.attn");
  Comparison comparison = workspace_.comparison();
  comparison.linkedLayers = false;
  workspace_.setComparison(comparison);
  workspace_.setLayerOf(0, "block1.0.attn");
  EXPECT_EQ(workspace_.models()[1].layer, "block2.0.attn");
  comparison.linkedLayers = true;
  workspace_.setComparison(comparison);
  EXPECT_EQ(workspace_.models()[0].layer, "block2.0.attn") << "the current model leads";
}

TEST_F(ComparedModelsTest, AnotherMechanismTakesThePlaceOfTheCurrentModelAlone) {
  workspace_.setCurrent(0);
  workspace_.setAttention("gaussian");
  settle();
  ASSERT_EQ(workspace_.models().size(), 2u);
  EXPECT_EQ(workspace_.models()[0].summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.models()[1].summary().mechanism, "soft");
  EXPECT_EQ(workspace_.currentIndex(), 0);
}

TEST_F(ComparedModelsTest, WhatIsOpenedAnewLeavesTheOneInFrontInFront) {
  workspace_.setCurrent(0);
  workspace_.setAttention("gaussian");
  workspace_.setCurrent(1);
  settle();
  EXPECT_EQ(workspace_.models()[0].summary().mechanism, "gaussian");
  EXPECT_EQ(workspace_.currentIndex(), 1);
}

TEST_F(ComparedModelsTest, ANewPictureIsSeenByAll) {
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  for (const OpenedModel& model : workspace_.models()) EXPECT_NE(model.inspection, nullptr);
}

TEST_F(ComparedModelsTest, AModelThatCannotTakeThePictureSaysSoAndTheOtherIsShown) {
  workspace_.setInputSize({InputSize::Kind::Whole, 400, 400});
  settle();
  workspace_.cancel();
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  QSignalSpy failures(&workspace_, &Workspace::failed);
  ModelRequest request;
  request.path = "bad.pth";
  workspace_.openBeside(request);
  settle();
  EXPECT_EQ(failures.count(), 1);
  EXPECT_EQ(workspace_.models().size(), 2u);
}

TEST_F(ComparedModelsTest, ClosingKeepsTheOther) {
  workspace_.closeModel(0);
  ASSERT_EQ(workspace_.models().size(), 1u);
  EXPECT_EQ(workspace_.current()->name(), QStringLiteral("other"));
  workspace_.closeModel(0);
  EXPECT_EQ(workspace_.current(), nullptr);
  EXPECT_FALSE(workspace_.canExport());
}

TEST_F(ComparedModelsTest, DifferencesAreOfTheFirstModelAndEachOther) {
  Comparison comparison = workspace_.comparison();
  comparison.difference = Comparison::Difference::Normalised;
  workspace_.setComparison(comparison);
  const CompareSubject figure = workspace_.compareFigure();
  ASSERT_EQ(figure.differences.size(), 1u);
  EXPECT_EQ(figure.differences[0], (RowDifference{0, 1, true}));
}

TEST_F(WorkspaceTest, PinsStayWhileTheQueryMovesAndUndoTakesThemBack) {
  workspace_.setPatch({1, 1});
  workspace_.pin(workspace_.query());
  workspace_.pin(workspace_.query());
  ASSERT_EQ(workspace_.pins().size(), 1u) << "a place is pinned once";
  EXPECT_EQ(workspace_.markedQueries().size(), 1u) << "the query is that pin";
  workspace_.setPatch({6, 6});
  const std::vector<MarkedQuery> marked = workspace_.markedQueries();
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(marked[0].letter, QStringLiteral("A"));
  EXPECT_TRUE(marked[1].letter.isEmpty());
  workspace_.undoQuery();
  workspace_.undoQuery();
  EXPECT_TRUE(workspace_.pins().empty());
  workspace_.redoQuery();
  workspace_.unpin(0);
  EXPECT_TRUE(workspace_.pins().empty());
}

TEST_F(WorkspaceTest, ZoomKeepsThePointUnderThePointer) {
  workspace_.zoom(2, {0.25, 0.75});
  EXPECT_EQ(workspace_.visible(), QRectF(0.125, 0.375, 0.5, 0.5));
  workspace_.setVisible(workspace_.visible().translated(9, -9));
  EXPECT_EQ(workspace_.visible(), QRectF(0.5, 0, 0.5, 0.5)) << "never beyond the picture";
  workspace_.zoom(1e-6, {0.5, 0.5});
  EXPECT_EQ(workspace_.visible(), QRectF(0, 0, 1, 1));
}

TEST_F(ComparedModelsTest, RestoresEverythingAsItWas) {
  workspace_.setCurrent(0);
  workspace_.setLayer("block2.0.attn");
  workspace_.setPatch({3, 2});
  workspace_.pin({0.2, 0.3});
  workspace_.setDirection(Direction::Columns);
  workspace_.zoom(2, {0.5, 0.5});
  workspace_.setPage(QStringLiteral("compare"));
  const WorkspaceState before = workspace_.state();

  Workspace other(openUnlessBad, inspectUnlessLarge);
  other.restore(readWorkspace(workspaceText(before, QStringLiteral("/")), QStringLiteral("/w")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !other.isBusy(); }));
  EXPECT_EQ(workspaceText(other.state(), {}), workspaceText(before, {}));
  EXPECT_TRUE(other.canCompare());
  EXPECT_EQ(other.token(), workspace_.token());
}

/// A map whose columns take as long as the test wants.
class SlowColumns final : public AttentionMap {
 public:
  explicit SlowColumns(const std::shared_ptr<const AttentionMap>& map)
      : AttentionMap(map->description()), map_(map) {}

  Vector row(int head, int query) const override { return map_->row(head, query); }
  Vector column(int head, int key) const override {
    EXPECT_TRUE(ready_) << "asked before it was prepared";
    return map_->column(head, key);
  }
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override {
    return map_->block(head, firstRow, firstColumn, rows, columns);
  }
  std::size_t bytes() const override { return 0; }
  bool columnsReady() const override { return ready_; }
  void prepareColumns(const Progress& progress) const override {
    while (!mayEnd) {
      progress.report(0.5, "slowly");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ready_ = true;
  }

  inline static std::atomic<bool> mayEnd = false;

 private:
  std::shared_ptr<const AttentionMap> map_;
  mutable std::atomic<bool> ready_ = false;
};

std::shared_ptr<const Inspection> inspectSlowColumns(const Model&, const InputTensor&,
                                                     const Progress&) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  for (LayerInspection& layer : inspection->layers) {
    layer.attention = std::make_shared<SlowColumns>(layer.attention);
  }
  return inspection;
}

class SlowColumnsTest : public testing::Test {
 protected:
  SlowColumnsTest() : workspace_(openUnlessBad, inspectSlowColumns) {
    SlowColumns::mayEnd = false;
    workspace_.openPicture(QString::fromStdString(test::writeTestPicture(128, 64)));
    ModelRequest request;
    request.path = "softmax.pth";
    workspace_.openModel(request);
    settle();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return !workspace_.isBusy(); }));
  }
  void expectColumns() {
    EXPECT_EQ(workspace_.direction(), Direction::Columns);
    const AttentionMap& map = *workspace_.current()->shownLayer()->attention;
    const Vector column = map.column(1, workspace_.token());
    const AttentionValues answer = workspace_.answers()[1];
    EXPECT_EQ(answer.patches, column.tail(answer.patches.size()));
  }

  Workspace workspace_;
};

TEST_F(SlowColumnsTest, TheDirectionChangesWhenTheyAreReady) {
  workspace_.setDirection(Direction::Columns);
  EXPECT_TRUE(workspace_.isBusy());
  EXPECT_EQ(workspace_.direction(), Direction::Rows);
  workspace_.setPatch({1, 1});
  EXPECT_EQ(workspace_.answers()[0].patches,
            workspace_.current()->shownLayer()->attention->row(0, workspace_.token()))
      << "rows are answered meanwhile";
  // Another layer, for which nothing was prepared.
  workspace_.setLayer("block2.0.attn");
  SlowColumns::mayEnd = true;
  settle();
  expectColumns();
}

TEST_F(SlowColumnsTest, AnotherLayerIsShownWhenItsColumnsAreReady) {
  SlowColumns::mayEnd = true;
  workspace_.setDirection(Direction::Columns);
  settle();
  SlowColumns::mayEnd = false;
  workspace_.setLayer("block2.0.attn");
  EXPECT_EQ(workspace_.current()->layer, "block1.0.attn");
  expectColumns();
  SlowColumns::mayEnd = true;
  settle();
  EXPECT_EQ(workspace_.current()->layer, "block2.0.attn");
  expectColumns();
  workspace_.setLayer("block1.0.attn");
  EXPECT_EQ(workspace_.current()->layer, "block1.0.attn") << "at once: it was prepared";
}

TEST_F(SlowColumnsTest, CancelAndRowsTakeTheWishBack) {
  workspace_.setDirection(Direction::Columns);
  workspace_.cancel();
  settle();
  EXPECT_EQ(workspace_.direction(), Direction::Rows);
  workspace_.setDirection(Direction::Columns);
  workspace_.setDirection(Direction::Rows);
  SlowColumns::mayEnd = true;
  settle();
  EXPECT_EQ(workspace_.direction(), Direction::Rows);
}

TEST_F(SlowColumnsTest, ANewPictureIsShownWithItsColumns) {
  SlowColumns::mayEnd = true;
  workspace_.setDirection(Direction::Columns);
  settle();
  workspace_.openPicture(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  expectColumns();
}

}  // namespace
}  // namespace softscope
