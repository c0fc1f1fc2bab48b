#include "core/Error.h"
#include "tests/window/SyntheticModel.h"
#include "widgets/Workspace.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <gtest/gtest.h>

namespace softscope {
namespace {

std::shared_ptr<const Model> openSynthetic(const ModelRequest& request, const Progress&) {
  if (request.path == "bad.pth") throw CheckpointError(request.path, "is not a checkpoint");
  return test::syntheticModel(request);
}

std::shared_ptr<const Inspection> inspectSynthetic(const Model&, const InputTensor& input,
                                                   const Progress&) {
  if (input.height > 400) throw InspectionError("takes at most 400 x 400");
  return test::syntheticInspection();
}

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() : workspace_(openSynthetic, inspectSynthetic) {
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
  const CompareFigure figure = workspace_.compareFigure();
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
  const CompareFigure figure = workspace_.compareFigure();
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

  Workspace other(openSynthetic, inspectSynthetic);
  other.restore(readWorkspace(workspaceText(before, QStringLiteral("/")), QStringLiteral("/w")));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !other.isBusy(); }));
  EXPECT_EQ(workspaceText(other.state(), {}), workspaceText(before, {}));
  EXPECT_TRUE(other.canCompare());
  EXPECT_EQ(other.token(), workspace_.token());
}

}  // namespace
}  // namespace softscope
