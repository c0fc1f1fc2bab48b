#include "core/analysis/LineScore.h"
#include "core/analysis/LineScoreSurvey.h"
#include "core/attention/DenseMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::randomStack;

LayerInspection surveyedLayer(const std::string& name, const MatrixStack& heads) {
  LayerInspection layer;
  layer.name = name;
  layer.attention = std::make_shared<DenseMap>(AttentionDescription{}, heads);
  return layer;
}

TEST(LineScoreSurvey, TellsMeanAndDeviationOfEveryHead) {
  LineScoreSurvey survey;
  std::vector<double> scores;
  for (const unsigned seed : {1U, 2U, 3U}) {
    const MatrixStack heads = randomStack(2, 9, 7, seed);
    survey.add(
        {surveyedLayer("first", heads), surveyedLayer("second", randomStack(1, 5, 5, seed))});
    scores.push_back(*lineScores(DenseMap({}, heads), 1).raw);
  }
  const std::vector<SurveyedHead> heads = survey.heads();
  ASSERT_EQ(heads.size(), 3U);
  EXPECT_EQ(heads[1].layer, "first");
  EXPECT_EQ(heads[1].head, 1);
  EXPECT_EQ(heads[1].measures[0].pictures, 3);
  const double mean = (scores[0] + scores[1] + scores[2]) / 3;
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  EXPECT_NEAR(*heads[1].measures[0].mean, mean, 1e-12);
  EXPECT_NEAR(*heads[1].measures[0].deviation, std::sqrt(squares / 2), 1e-12);
  EXPECT_EQ(heads[2].layer, "second");
  EXPECT_EQ(heads[2].head, 0);
}

TEST(LineScoreSurvey, CountsOnlyPicturesThatHaveAScore) {
  LineScoreSurvey survey;
  const MatrixStack constant({Matrix::Ones(4, 4)});
  survey.add({surveyedLayer("layer", constant)});
  const MatrixStack heads = randomStack(1, 4, 4, 5);
  survey.add({surveyedLayer("layer", heads)});
  const MeasureSpread head = survey.heads().front().measures[0];
  EXPECT_EQ(head.pictures, 1);
  EXPECT_DOUBLE_EQ(*head.mean, *lineScores(DenseMap({}, heads), 0).raw);
  EXPECT_FALSE(head.deviation);

  LineScoreSurvey none;
  none.add({surveyedLayer("layer", constant)});
  EXPECT_EQ(none.heads().front().measures[0].pictures, 0);
  EXPECT_FALSE(none.heads().front().measures[0].mean);
}

}  // namespace
}  // namespace softscope
