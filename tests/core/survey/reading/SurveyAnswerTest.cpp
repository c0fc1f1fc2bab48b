#include "core/survey/reading/SurveyAnswer.h"
#include "core/survey/reading/SurveyComparison.h"
#include "core/survey/reading/SurveySteps.h"
#include "core/text/Words.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/survey/reading/WrittenSurvey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

namespace softscope {
namespace {

using test::SmallSurvey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SurveyAnswerTest : public testing::Test {
 protected:
  void SetUp() override {
    SmallSurvey::write(path_);
    survey_ = std::make_unique<SurveyColumns>(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  SurveyAnswer answer(const SurveyQuestion& question) { return answerSurvey(*survey_, question); }
  std::string complaint(const SurveyQuestion& question) {
    return test::messageOf<SurveyError>([&] { answer(question); });
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "SurveyAnswerTest.survey").string();
  std::unique_ptr<SurveyColumns> survey_;
};

TEST_F(SurveyAnswerTest, HasASeriesForEveryHead) {
  const SurveyAnswer all = answer({.measure = "distance"});
  ASSERT_EQ(all.series.size(), 6u);
  EXPECT_EQ(unitText(*all.index, all.series[4].unit), "sima · first · head 1");
  EXPECT_EQ(all.series[4].values.values[2], *SmallSurvey::distance(1, 1, 2));
  EXPECT_EQ(all.series[4].summary.count, 5);
  EXPECT_EQ(all.series[5].summary.count, 2) << "not defined for even pictures";
  EXPECT_THAT(all.models(), ElementsAre(0, 1));
  EXPECT_EQ(answer({.measure = "spread"}).series.size(), 4u);
  EXPECT_EQ(answer({.measure = "accuracy"}).series.size(), 2u);
}

TEST_F(SurveyAnswerTest, TakesSomeModelsLayersAndHeads) {
  EXPECT_EQ(answer({.measure = "distance", .models = {"sima"}}).series.size(), 3u);
  EXPECT_EQ(answer({.measure = "distance", .layers = {"f*"}}).series.size(), 4u);
  const SurveyAnswer one = answer({.measure = "distance", .models = {"soft"}, .heads = {1}});
  ASSERT_EQ(one.series.size(), 1u);
  EXPECT_EQ(one.series[0].values.values[0], *SmallSurvey::distance(0, 1, 0));
  EXPECT_EQ(answer({.measure = "accuracy", .layers = {"second"}}).series.size(), 2u)
      << "a measure of models has no layers to choose from";
}

TEST_F(SurveyAnswerTest, SetsClassesApart) {
  const SurveyAnswer apart = answer({.measure = "distance", .byClass = true});
  ASSERT_EQ(apart.series.size(), 12u);
  EXPECT_THAT(apart.classes(), ElementsAre(0, 1));
  EXPECT_THAT(apart.series[1].values.pictures, ElementsAre(3, 4)) << "dogs";
  EXPECT_DOUBLE_EQ(apart.series[1].summary.mean, 10.875);
}

TEST_F(SurveyAnswerTest, PutsMeasuresOfDifferentScopesBesideEachOther) {
  const SurveyAnswer two = answer({.measure = "accuracy", .against = "distance"});
  ASSERT_EQ(two.series.size(), 6u) << "the narrower scope's units";
  const SurveySeries& head = two.series[3];
  for (int picture = 0; picture < SmallSurvey::readable; ++picture) {
    const auto i = static_cast<std::size_t>(picture);
    EXPECT_EQ(head.values.values[i], SmallSurvey::accuracy(1, picture));
    EXPECT_EQ(head.against[i], *SmallSurvey::distance(1, 0, picture));
  }
  EXPECT_EQ(scatteredCount(two), 4u * 5 + 2 * 2);
  const auto some = scatteredPoints(two, 7);
  ASSERT_EQ(some.size(), 7u);
  EXPECT_EQ(some.front().series, 0u);
  EXPECT_EQ(some.back().series, 5u) << "evenly from all of them";
  EXPECT_EQ(scatteredPoints(two, 100).size(), 24u);
}

// By numpy.corrcoef of sima's line scores and distances, of all heads together.
TEST_F(SurveyAnswerTest, CorrelatesAsNumPyDoes) {
  const SurveyAnswer two = answer({.measure = "line_score", .against = "distance"});
  std::vector<double> x;
  std::vector<double> y;
  for (int head = 0; head < SmallSurvey::heads; ++head) {
    for (int picture = 0; picture < SmallSurvey::readable; ++picture) {
      if (!SmallSurvey::distance(1, head, picture)) continue;
      x.push_back(SmallSurvey::lineScore(1, head, picture));
      y.push_back(*SmallSurvey::distance(1, head, picture));
    }
  }
  const double n = static_cast<double>(x.size());
  const double meanX = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double meanY = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - meanX) * (x[i] - meanX);
    yy += (y[i] - meanY) * (y[i] - meanY);
    xy += (x[i] - meanX) * (y[i] - meanY);
  }
  ASSERT_TRUE(correlationOf(two, 1));
  EXPECT_NEAR(*correlationOf(two, 1), xy / std::sqrt(xx * yy), 1e-12);
  EXPECT_FALSE(correlationOf(answer({.measure = "line_score"}), 1));
}

TEST_F(SurveyAnswerTest, ComparesModelsPictureByPicture) {
  const SurveyAnswer both = answer({.measure = "distance"});
  const std::vector<SurveyDifference> differences = differencesOf(both);
  ASSERT_EQ(differences.size(), 3u);
  for (const SurveyDifference& each : differences) {
    EXPECT_EQ(each.unit.model, 1);
    EXPECT_EQ(each.reference, 0);
    EXPECT_DOUBLE_EQ(each.difference.mean, 1) << "sima's distances are one larger, all of them";
    EXPECT_NEAR(each.difference.standardError, 0, 1e-12);
  }
  EXPECT_EQ(differences[2].difference.count, 2);
  EXPECT_EQ(surveyObstacle(both, SurveyShow::Differences), "");
  EXPECT_THAT(
      surveyObstacle(answer({.measure = "distance", .models = {"soft"}}), SurveyShow::Differences),
      HasSubstr("two models"));
  EXPECT_EQ(differencesOf(answer({.measure = "distance", .byClass = true})).size(), 6u);
}

TEST_F(SurveyAnswerTest, FollowsHeadsOverTheStepsOfATraining) {
  const SurveyAnswer unnamed = answer({.measure = "distance"});
  EXPECT_THAT(surveyObstacle(unnamed, SurveyShow::Steps), HasSubstr("epoch_05"));
  survey_.reset();
  SmallSurvey::makeSteps(path_);
  survey_ = std::make_unique<SurveyColumns>(path_);
  const SurveyAnswer steps = answer({.measure = "distance"});
  EXPECT_EQ(surveyObstacle(steps, SurveyShow::Steps), "");
  const std::vector<SurveyCurve> curves = curvesOverSteps(steps);
  ASSERT_EQ(curves.size(), 3u) << "one for each head";
  EXPECT_EQ(curves[1].training, "epoch_*");
  EXPECT_EQ(curves[1].layer, "first");
  EXPECT_EQ(curves[1].head, 1);
  ASSERT_EQ(curves[1].points.size(), 2u);
  EXPECT_EQ(curves[1].points[0].step, 5) << "by number, not by name";
  const double difference = steps.series[curves[1].points[0].series].summary.mean -
                            steps.series[curves[1].points[1].series].summary.mean;
  EXPECT_DOUBLE_EQ(difference, 1) << "sima's distances are one larger";
  EXPECT_EQ(curvesOverSteps(answer({.measure = "distance", .byClass = true})).size(), 6u);
  EXPECT_EQ(curvesOverSteps(answer({.measure = "accuracy"})).size(), 1u);
  const Table table = surveyFigureTable(steps, SurveyShow::Steps);
  EXPECT_EQ(table.rows.size(), 6u);
  EXPECT_FALSE(table.sentence.empty());
  const SurveyAnswer apart = answer({.measure = "distance", .byClass = true});
  EXPECT_EQ(surveyFigureTable(apart, SurveyShow::Steps).sentence, "")
      << "it would be about one class";
  EXPECT_EQ(std::get<std::int64_t>(table.rows[0][1]), 5);
  EXPECT_THAT(
      surveyObstacle(answer({.measure = "distance", .models = {"epoch_5"}}), SurveyShow::Steps),
      HasSubstr("epoch_05"));
}

/// The more differences are looked at, the more of them would lie outside intervals of their own.
TEST_F(SurveyAnswerTest, CorrectsDifferencesForTheirNumber) {
  for (const std::vector<int>& heads : {std::vector<int>{}, {0}}) {
    const SurveyAnswer asked = answer({.measure = "line_score", .heads = heads});
    const std::vector<SurveyDifference> differences = differencesOf(asked);
    const std::int64_t comparisons = comparedCount(differences);
    ASSERT_GT(comparisons, 0);
    int compared = 0;
    for (const SurveyDifference& each : differences) {
      const PairedDifference& of = each.difference;
      if (of.count < 2) continue;
      const double t = studentQuantile(of.count - 1, 0.05 / static_cast<double>(comparisons));
      EXPECT_NEAR(of.jointHigh - of.mean, t * of.standardError, 1e-12);
      EXPECT_NEAR(of.mean - of.jointLow, t * of.standardError, 1e-12);
      EXPECT_GE(of.jointHigh, of.high);
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
}

TEST_F(SurveyAnswerTest, CountsInTheSameBins) {
  const std::vector<SurveyHistogram> histograms = histogramsOf(answer({.measure = "distance"}));
  ASSERT_EQ(histograms.size(), 2u);
  for (const SurveyHistogram& each : histograms) {
    EXPECT_EQ(each.histogram.low, *SmallSurvey::distance(0, 0, 0));
    EXPECT_EQ(each.histogram.high, *SmallSurvey::distance(1, 2, 3));
    const auto& counts = each.histogram.counts;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 12);
  }
}

TEST_F(SurveyAnswerTest, SaysWhatThereIs) {
  EXPECT_THAT(complaint({.measure = "depth"}),
              HasSubstr("no measure \"depth\"; it has accuracy, spread, line_score, distance"));
  EXPECT_THAT(complaint({.measure = "distance", .against = "depth"}), HasSubstr("depth"));
  EXPECT_THAT(complaint({.measure = "distance", .models = {"deit"}}), HasSubstr("soft, sima"));
  EXPECT_THAT(complaint({.measure = "distance", .layers = {"third"}}), HasSubstr("first, second"));
  EXPECT_THAT(complaint({.measure = "distance", .heads = {7}}), HasSubstr("no such heads"));
}

TEST_F(SurveyAnswerTest, TablesHoldWhatFiguresShow) {
  EXPECT_THAT(csvText(summaryTable(answer({.measure = "distance", .models = {"sima"}}))),
              HasSubstr("\nsima,first,0,distance,5,11.5,0.39528470752104744,"));
  EXPECT_THAT(csvText(differenceTable(answer({.measure = "distance"}))),
              HasSubstr("\nsima,soft,first,0,distance,,5,1,0,1,1,3,1,1,1,1\n"));
  EXPECT_THAT(csvText(scatterTable(answer({.measure = "accuracy", .against = "distance"}), 100)),
              HasSubstr("\nsima,first,0,dog/3.png,dog,1,11.75\n"));
  EXPECT_EQ(histogramTable(answer({.measure = "distance"})).rows.size(), 80u);
}

TEST_F(SurveyAnswerTest, SentencesSayWhatFiguresShow) {
  EXPECT_THAT(histogramTable(answer({.measure = "distance", .models = {"sima"}})).sentence,
              testing::MatchesRegex("Most values of distance in one bin: [0-9]+ of 12 from "
                                    "[0-9.]+ to [0-9.]+ \\(sima\\)\\."));
  const SurveyAnswer two = answer({.measure = "line_score", .against = "distance"});
  EXPECT_EQ(scatterTable(two, 100).sentence,
            "The correlation of line_score and distance is " + roundedText(*correlationOf(two, 0)) +
                " in soft; " + roundedText(*correlationOf(two, 1)) + " in sima.");
}

TEST_F(SurveyAnswerTest, ContrastsTwoMeasuresPictureByPicture) {
  const SurveyAnswer both = answer({.measure = "line_score", .against = "distance"});
  EXPECT_EQ(surveyObstacle(both, SurveyShow::Contrast), "");
  const std::vector<SurveyDifference> contrasts = contrastsOf(both);
  ASSERT_EQ(contrasts.size(), both.series.size());
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    const SurveySeries& series = both.series[i];
    double sum = 0;
    int count = 0;
    for (std::size_t k = 0; k < series.against.size(); ++k) {
      const double difference = series.values.values[k] - series.against[k];
      if (std::isnan(difference)) continue;
      sum += difference;
      ++count;
    }
    EXPECT_EQ(contrasts[i].difference.count, count);
    EXPECT_NEAR(contrasts[i].difference.mean, sum / count, 1e-12);
    EXPECT_LE(contrasts[i].difference.jointLow, contrasts[i].difference.low);
  }
  const Table table = contrastTable(both);
  EXPECT_EQ(table.columns[4], "against");
  EXPECT_THAT(table.sentence, HasSubstr("line_score is below distance in "));
}

TEST_F(SurveyAnswerTest, ReadsAMeasureOnce) {
  const auto first = survey_->column(3);
  {
    Database database(path_, Database::Mode::ReadWrite);
    database.execute("UPDATE head_value SET distance = 0");
  }
  EXPECT_EQ(survey_->column(3), first);
  for (const int measure : {0, 1, 2}) survey_->column(measure);
  EXPECT_EQ(survey_->column(3), first);
}

TEST_F(SurveyAnswerTest, CorrelatesEachClassOfItsOwn) {
  const SurveyAnswer apart =
      answer({.measure = "line_score", .against = "distance", .byClass = true});
  for (const int ofClass : {0, 1}) {
    SurveyAnswer alone = apart;
    std::erase_if(alone.series,
                  [&](const SurveySeries& series) { return series.ofClass != ofClass; });
    EXPECT_EQ(correlationOf(apart, 1, ofClass), correlationOf(alone, 1));
  }
  EXPECT_NE(correlationOf(apart, 1, 0), correlationOf(apart, 1));
}

}  // namespace
}  // namespace softscope
