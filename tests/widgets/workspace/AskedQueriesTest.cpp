#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"

#include <QtCore/QFile>
#include <QtTest/QSignalSpy>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class AskedQueriesTest : public testing::Test {
 protected:
  AskedQueriesTest() {
    picture_.open(QString::fromStdString(test::writeTestPicture(128, 64)));
    settle();
    models_.place(test::inspectedSynthetic(1), {}, true);
  }
  void settle() { test::settle(worker_); }
  /// Returns the centre of the patch that is asked.
  PictureQuery centreOfPatch() const {
    const TokenGrid grid = *queries_.grid();
    return queryAt(grid, queries_.extent(), patchAt(grid, queries_.extent(), queries_.query()));
  }

  Worker worker_;
  OpenedPicture picture_{worker_};
  OpenModels models_;
  ComparisonChoice comparison_;
  ShownLayers layers_{models_, comparison_, worker_};
  AskedQueries queries_{picture_, models_, layers_};
};

TEST_F(AskedQueriesTest, TheQueryStaysWhereItIsWhenTheLayerChanges) {
  queries_.ask({0.9, 0.1});
  const PictureQuery before = queries_.query();
  EXPECT_EQ(queries_.token(), 0 * 8 + 7);
  QSignalSpy changes(&queries_, &AskedQueries::changed);
  layers_.step(1);
  EXPECT_EQ(changes.count(), 1) << "it means another token now";
  EXPECT_EQ(queries_.query(), before);
  EXPECT_EQ(queries_.token(), 0 * 4 + 3);
}

TEST_F(AskedQueriesTest, AQueryLiesWhereTheModelSees) {
  OpenedModel model = test::inspectedSynthetic(1);
  model.region = {32, 0, 64, 64};
  models_.update(model);
  queries_.ask({0, 1});
  EXPECT_EQ(queries_.query(), (PictureQuery{0.25, 1}));
  queries_.drag({2, 0.5});
  EXPECT_EQ(queries_.query(), (PictureQuery{0.75, 0.5}));
  models_.clear();
  queries_.ask({0, 1});
  EXPECT_EQ(queries_.query(), (PictureQuery{0, 1})) << "anywhere on the picture";
}

TEST_F(AskedQueriesTest, StayWhereAPastedPictureIsReadInAnotherWay) {
  QFile file(QString::fromStdString(test::writeTestPicture(128, 64)));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  const auto paste = [&](const QByteArray& pasted, const PictureReading& reading) {
    picture_.decode(pasted, QStringLiteral("pasted"), reading);
    settle();
  };
  paste(bytes, {});
  queries_.pin({0.1, 0.1});
  queries_.ask({0.9, 0.1});
  const PictureQuery asked = queries_.query();
  PictureReading stretched;
  stretched.range.kind = SampleRange::Kind::Auto;
  paste(bytes, stretched);
  EXPECT_EQ(queries_.query(), asked);
  EXPECT_EQ(queries_.pins().size(), 1u);
  QFile other(QString::fromStdString(test::writeTestPicture(64, 64)));
  ASSERT_TRUE(other.open(QIODevice::ReadOnly));
  paste(other.readAll(), {});
  EXPECT_TRUE(queries_.pins().empty()) << "another picture";
}

TEST_F(AskedQueriesTest, UndoAndRedoWalkTheQueries) {
  const PictureQuery first = queries_.query();
  queries_.askPatch({1, 1});
  queries_.askPatch({2, 5});
  queries_.drag({0.99, 0.99});
  queries_.undo();
  EXPECT_EQ(queries_.token(), 9);
  queries_.undo();
  EXPECT_EQ(queries_.query(), first);
  EXPECT_FALSE(queries_.canUndo());
  queries_.redo();
  queries_.redo();
  EXPECT_EQ(queries_.token(), 63) << "a drag is one step with the press it began with";
  EXPECT_FALSE(queries_.canRedo());
}

TEST_F(AskedQueriesTest, ADragThatBeginsOnTheQueryIsAStep) {
  queries_.askPatch({1, 1});
  const PictureQuery before = queries_.query();
  queries_.ask(before);
  queries_.drag({0.6, 0.6});
  queries_.drag({0.99, 0.99});
  queries_.undo();
  EXPECT_EQ(queries_.query(), before);
  queries_.redo();
  EXPECT_EQ(queries_.token(), 63);
  EXPECT_FALSE(queries_.canRedo());
}

TEST_F(AskedQueriesTest, StepsStayOnTheGrid) {
  queries_.askPatch({0, 6});
  queries_.step(-1, 1);
  EXPECT_EQ(queries_.token(), 7);
  queries_.step(0, 1);
  EXPECT_EQ(queries_.token(), 7);
  models_.clear();
  const PictureQuery before = queries_.query();
  queries_.step(1, 0);
  EXPECT_EQ(queries_.query(), before) << "there is no grid to step on";
}

TEST_F(AskedQueriesTest, TheClassTokenIsAQueryWhereThereIsOne) {
  EXPECT_EQ(queries_.prefixTokens(), 0);
  queries_.askNextPrefixToken();
  EXPECT_FALSE(queries_.query().prefixToken.has_value());
  layers_.choose("blocks.2.attn");
  ASSERT_EQ(queries_.prefixTokens(), 1);
  EXPECT_TRUE(queries_.asksPatch());
  queries_.askNextPrefixToken();
  EXPECT_EQ(queries_.token(), 0);
  EXPECT_FALSE(queries_.asksPatch());
  layers_.choose("block1.0.attn");
  EXPECT_FALSE(queries_.asksPrefixToken());
  queries_.askNextPrefixToken();
  EXPECT_FALSE(queries_.query().prefixToken.has_value())
      << "what another layer has can be taken back";
}

TEST_F(AskedQueriesTest, PinsStayWhileTheQueryMovesAndUndoTakesThemBack) {
  queries_.askPatch({1, 1});
  queries_.pin(queries_.query());
  queries_.pin(queries_.query());
  ASSERT_EQ(queries_.pins().size(), 1u) << "a place is pinned once";
  EXPECT_EQ(queries_.marked().size(), 1u) << "the query is that pin";
  queries_.askPatch({6, 6});
  const std::vector<MarkedQuery> marked = queries_.marked();
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(marked[0].letter, QStringLiteral("A"));
  EXPECT_TRUE(marked[1].letter.isEmpty());
  queries_.undo();
  queries_.undo();
  EXPECT_TRUE(queries_.pins().empty());
  queries_.redo();
  queries_.unpin(0);
  EXPECT_TRUE(queries_.pins().empty());
}

TEST_F(AskedQueriesTest, ThereAreAsManyPinsAsLetters) {
  for (int i = 0; i < 30; ++i) queries_.pin({i / 30.0, 0.5});
  EXPECT_EQ(queries_.pins().size(), 26u);
  queries_.clearPins();
  EXPECT_TRUE(queries_.pins().empty());
}

TEST_F(AskedQueriesTest, AnotherPictureIsAskedInItsMiddle) {
  queries_.pin({0.9, 0.9});
  queries_.askPatch({1, 1});
  picture_.open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(queries_.state(), Queries()) << "an ear there is none here";
  EXPECT_FALSE(queries_.canUndo());
  models_.update(test::inspectedSynthetic(1));
  EXPECT_EQ(queries_.query(), centreOfPatch()) << "a patch, and no corner of four";
}

TEST_F(AskedQueriesTest, TheFirstIsOnePatchForModelsThatCropDifferently) {
  const PictureQuery first = queries_.query();
  EXPECT_EQ(first, centreOfPatch());
  EXPECT_FALSE(queries_.canUndo());
  const Patch patch = patchAt(*queries_.grid(), queries_.extent(), first);
  for (const double halfPixel : {-0.5, 0.5}) {
    PictureExtent other = queries_.extent();
    other.region.x += halfPixel;
    other.region.y += halfPixel;
    EXPECT_EQ(patchAt(*queries_.grid(), other, first), patch) << halfPixel;
  }
  layers_.step(1);
  EXPECT_EQ(queries_.query(), first) << "it stays in place";
}

TEST_F(AskedQueriesTest, WhatWasAskedOrRestoredIsNotMovedToAPatchsCentre) {
  queries_.restore({});
  models_.update(test::inspectedSynthetic(1));
  EXPECT_EQ(queries_.query(), PictureQuery());
}

TEST_F(AskedQueriesTest, TheSamePictureReadAgainAndOneForRestoredQueriesKeepThem) {
  queries_.askPatch({1, 1});
  const PictureQuery before = queries_.query();
  picture_.open(QString::fromStdString(picture_.get()->path));
  settle();
  EXPECT_EQ(queries_.query(), before);
  picture_.close();
  queries_.restore({{0.25, 0.75}, {{0.1, 0.1}}});
  picture_.open(QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  EXPECT_EQ(queries_.query(), (PictureQuery{0.25, 0.75}));
  EXPECT_EQ(queries_.pins().size(), 1u);
}

TEST_F(AskedQueriesTest, AQueryOutsideWhatAModelSeesIsToldAndItsMarkIsThePatchThatAnswers) {
  queries_.ask({0.05, 0.5});
  EXPECT_FALSE(queries_.isOutside());
  OpenedModel model = test::inspectedSynthetic(1);
  model.region = {32, 0, 64, 64};
  models_.update(model);
  EXPECT_TRUE(queries_.isOutside());
  const std::optional<QueryMark> mark = queries_.mark();
  ASSERT_TRUE(mark.has_value());
  EXPECT_EQ(mark->patch, QRectF(0, 0.5, 0.125, 0.125)) << "row 4 of 8, first column";
  EXPECT_EQ(mark->place, QPointF(0.0625, 0.5625)) << "its middle, not the corner of four";
}

TEST_F(AskedQueriesTest, WhatIsRestoredCannotBeUndone) {
  const Queries saved{{0.25, 0.75}, {{0.5, 0.5}, {0.1, 0.1}}};
  queries_.askPatch({1, 1});
  queries_.restore(saved);
  EXPECT_EQ(queries_.state(), saved);
  EXPECT_FALSE(queries_.canUndo());
}

}  // namespace
}  // namespace softscope
