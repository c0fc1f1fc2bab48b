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

}  // namespace
}  // namespace softscope
