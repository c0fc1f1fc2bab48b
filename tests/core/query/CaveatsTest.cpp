#include "core/attention/DenseMap.h"
#include "core/query/Caveats.h"
#include "core/query/HeadLikeness.h"
#include "tests/core/SyntheticAttention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace softscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int caveatSide = 4;
constexpr int tokens = caveatSide * caveatSide;

/// Head 0 answers every query alike, head 1 evenly, head 2 neither, head 3 as head 0.
LayerInspection layerOfFour() {
  const auto alike = [](Eigen::Index query, Eigen::Index key) {
    return 1.0F + static_cast<float>(key) + 1e-3F * static_cast<float>(query % 2);
  };
  const auto even = [](Eigen::Index query, Eigen::Index key) {
    return 1.0F + 1e-3F * static_cast<float>((3 * query + 7 * key) % 11);
  };
  const auto other = [](Eigen::Index query, Eigen::Index key) {
    return query == key ? 5.0F : static_cast<float>((query * 5 + key * 3) % 7);
  };
  LayerInspection layer;
  layer.name = "blocks.0.attn";
  layer.attention = std::make_shared<DenseMap>(
      test::gridAttention(4, caveatSide, caveatSide),
      MatrixStack(std::vector<Matrix>{
          Matrix::NullaryExpr(tokens, tokens, alike), Matrix::NullaryExpr(tokens, tokens, even),
          Matrix::NullaryExpr(tokens, tokens, other), Matrix::NullaryExpr(tokens, tokens, alike)}));
  return layer;
}

const PictureExtent whole(Picture{64, 64, {}, {}}, PictureRegion{0, 0, 64, 64});

std::vector<QueriedLayer> asked(const std::vector<LayerInspection>& layers, Direction direction) {
  const std::vector<PictureQuery> queries{{0.1, 0.1}, {0.6, 0.6}};
  return askLayers(layers, whole, queries, direction, {.mean = true});
}

TEST(Caveats, SayWhichHeadsAnswerAlikeAndWhichEvenly) {
  const std::vector<LayerInspection> layers{layerOfFour()};
  std::vector<QueriedLayer> answers = asked(layers, Direction::Rows);
  tellLikeness(answers, layerLikeness(layers));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_THAT(captionCaveats(answers[1], answers[1].values),
              ElementsAre("heads 0, 3: almost the same for every query",
                          "head 1: nearly uniform, within 0.6 %"));
  const std::vector<std::string> all = answerCaveats(answers);
  EXPECT_EQ(all.front(), "blocks_0_attn.row_0_0.head_0: almost the same for every query");
  EXPECT_EQ(all.size(), 6u) << "three heads, two queries";
}

TEST(Caveats, ComparingLayersStopsBetweenThem) {
  Progress progress;
  progress.cancel();
  EXPECT_THROW(layerLikeness({layerOfFour()}, ShownMap::Attention, progress), Cancelled);
}

TEST(Caveats, SayNothingOfLikenessThatIsNotKnownOrNotOfRows) {
  const std::vector<LayerInspection> layers{layerOfFour()};
  std::vector<QueriedLayer> answers = asked(layers, Direction::Rows);
  EXPECT_THAT(captionCaveats(answers[0], {answers[0].values[0]}), IsEmpty());
  answers = asked(layers, Direction::Columns);
  tellLikeness(answers, layerLikeness(layers));
  EXPECT_THAT(captionCaveats(answers[0], {answers[0].values[2]}), IsEmpty());
}

TEST(Caveats, AMapTooLargeToCompareIsNot) {
  AttentionDescription large = test::gridAttention(1, 100, 100);
  EXPECT_FALSE(canCompareAnswers(large));
  large = test::gridAttention(1, 10, 10);
  EXPECT_TRUE(canCompareAnswers(large));
  large.queries = 1;
  EXPECT_FALSE(canCompareAnswers(large)) << "there is nothing to compare";
}

TEST(Caveats, SayHowManyValuesAreNotFinite) {
  LayerInspection layer;
  layer.name = "blocks.0.attn";
  Matrix weights = Matrix::NullaryExpr(tokens, tokens, [](Eigen::Index query, Eigen::Index key) {
    return static_cast<float>((query * 5 + key * 3) % 7);
  });
  weights.col(3).fill(std::numeric_limits<float>::quiet_NaN());
  weights.col(4).fill(-std::numeric_limits<float>::infinity());
  layer.attention = std::make_shared<DenseMap>(test::gridAttention(1, caveatSide, caveatSide),
                                               MatrixStack(std::vector<Matrix>{weights}));
  const std::vector<LayerInspection> layers{layer};
  const QueriedLayer answer = asked(layers, Direction::Rows).front();
  const std::string caveat = "2 of 16 values not finite";
  EXPECT_THAT(captionCaveats(answer, {answer.values[0]}), ElementsAre("head 0: " + caveat));
  EXPECT_THAT(answerCaveats(std::vector<QueriedLayer>{answer}).front(),
              testing::EndsWith("head_0: " + caveat));
}

}  // namespace
}  // namespace softscope
