#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/HeadWall.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

class HeadWallTest : public testing::Test {
 protected:
  void open() {
    workspace_.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
    settle();
    ModelRequest request;
    request.path = "soft.pth";
    workspace_.queue().open(request);
    settle();
  }
  void settle() { test::settle(workspace_); }
  /// Every layer's answers are the rows, or the columns, at the query's place in its own grid.
  void expectAnswers(Direction direction) {
    const auto rows = headWall(workspace_);
    const auto& layers = workspace_.models().current()->inspection->layers;
    ASSERT_EQ(rows.size(), layers.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const AttentionMap& map = *layers[i].attention;
      const int token = queryToken(map.description(), workspace_.queries().extent(),
                                   workspace_.queries().query(), direction);
      EXPECT_EQ(rows[i].layer, layers[i].name);
      ASSERT_EQ(rows[i].answers.size(), static_cast<std::size_t>(map.description().heads));
      ASSERT_EQ(rows[i].ranges.size(), rows[i].answers.size());
      for (std::size_t head = 0; head < rows[i].answers.size(); ++head) {
        const AttentionValues expected =
            attentionValues(map, static_cast<int>(head), token, direction);
        EXPECT_EQ(rows[i].answers[head].patches, expected.patches) << i << ", head " << head;
      }
    }
  }

  Workspace workspace_{test::syntheticEngine()};
};

TEST_F(HeadWallTest, HoldsEveryHeadsAnswerInEveryLayer) {
  EXPECT_TRUE(headWall(workspace_).empty());
  open();
  expectAnswers(Direction::Rows);
  workspace_.queries().askPatch({1, 6});
  expectAnswers(Direction::Rows);
  workspace_.layers().setDirection(Direction::Columns);
  settle();
  expectAnswers(Direction::Columns);
}

TEST_F(HeadWallTest, ShowsTheChosenMapWhereALayerHasIt) {
  open();
  workspace_.view().setMap(ShownMap::Convolution);
  const auto rows = headWall(workspace_);
  const auto& layers = workspace_.models().current()->inspection->layers;
  const int token = workspace_.queries().token();
  EXPECT_EQ(rows[0].answers[0].patches, layers[0].convolution->row(0, token));
  EXPECT_NE(rows[0].answers[0].patches, layers[0].attention->row(0, token));
  EXPECT_EQ(rows[1].answers.size(), 3u) << "a layer without convolution shows its attention";
}

TEST_F(HeadWallTest, TheQueryIsMarkedOnTheGridOfEachLayer) {
  open();
  workspace_.queries().ask({0.3, 0.7});
  std::vector<HeadWallRow> rows = headWall(workspace_);
  ASSERT_EQ(rows.size(), 3u);
  for (const HeadWallRow& row : rows) ASSERT_TRUE(row.mark) << row.layer;
  EXPECT_DOUBLE_EQ(rows[0].mark->patch.width(), 1.0 / 8) << "of the chosen layer";
  EXPECT_DOUBLE_EQ(rows[1].mark->patch.width(), 1.0 / 4) << "of a later one in the pyramid";
  EXPECT_TRUE(rows[1].mark->patch.contains(QPointF(0.3, 0.7)));
  workspace_.queries().ask({0.3, 0.7, 0});
  rows = headWall(workspace_);
  EXPECT_TRUE(rows[1].mark) << "it has no class token, so the place is asked";
  EXPECT_FALSE(rows[2].mark) << "the class token is no place";
}

}  // namespace
}  // namespace softscope
