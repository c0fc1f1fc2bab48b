#include "tests/core/survey/reading/WrittenSurvey.h"
#include "widgets/analysis/SurveyFigure.h"
#include "widgets/analysis/SurveyPlots.h"
#include "widgets/plot/PlotRange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace softscope {
namespace {

using test::SmallSurvey;

class SurveyFigureTest : public testing::Test {
 protected:
  void SetUp() override { SmallSurvey::write(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  void change(const std::string& sql) {
    Database database(path_, Database::Mode::ReadWrite);
    database.execute(sql);
  }
  SurveyAnswer answer(const SurveyQuestion& question) {
    SurveyColumns survey(path_);
    return answerSurvey(survey, question);
  }

  const std::string path_ =
      (std::filesystem::path(testing::TempDir()) / "SurveyFigureTest.survey").string();
};

TEST_F(SurveyFigureTest, HasABoxForEveryHeadAndAPointForEveryOutlier) {
  change("UPDATE head_value SET distance = 500 WHERE picture = 3 AND head = 1");
  const SurveyAnswer asked = answer({.measure = "distance"});
  const SurveyDrawing drawing = surveyDrawing(asked, SurveyShow::Distributions);
  ASSERT_EQ(drawing.plots.size(), 2u) << "a plot for each model";
  const Plot& soft = drawing.plots[0];
  EXPECT_EQ(soft.title, QStringLiteral("soft"));
  EXPECT_EQ(soft.y.label, QStringLiteral("Attention distance (px)"));
  ASSERT_EQ(soft.boxes.size(), 3u);
  EXPECT_EQ(soft.x.names[0], QStringLiteral("first 0"));
  EXPECT_EQ(soft.x.names[1], QStringLiteral("1"));
  EXPECT_EQ(soft.x.names[2], QStringLiteral("second 0"));
  EXPECT_EQ(soft.boxes[0].x, 0);
  EXPECT_EQ(soft.boxes[0].quartile1, 10.25);
  EXPECT_EQ(soft.boxes[0].median, 10.5);
  EXPECT_EQ(soft.boxes[0].high, 11);
  ASSERT_EQ(soft.curves.size(), 1u);
  EXPECT_EQ(soft.curves[0].y[0], 500);
  EXPECT_EQ(soft.curves[0].x[0], 1);
  const SurveyPoint& point = drawing.points[0][0][0];
  EXPECT_EQ(asked.series[point.series].values.pictures[point.index], 3);
  EXPECT_EQ(soft.y.range, drawing.plots[1].y.range) << "models can be compared";
}

TEST_F(SurveyFigureTest, SaysThatASurveyWasCutShort) {
  const auto about = [this] {
    return surveyDrawing(answer({.measure = "distance"}), SurveyShow::Means).about;
  };
  EXPECT_TRUE(about().startsWith(QStringLiteral("5 pictures · Attention distance")));
  change("INSERT INTO survey VALUES('pictures', '7'), ('shard', '1/1')");
  EXPECT_TRUE(about().startsWith(QStringLiteral("5 pictures · 6 of 7 measured so far · ")));
}

TEST_F(SurveyFigureTest, DrawsTheOutermostOfManyOutliers) {
  SurveyAnswer many;
  SurveySeries series;
  for (int i = 0; i < 5000; ++i) {
    series.values.pictures.push_back(i);
    series.values.values.push_back(i < 4000 ? i % 10 : 100 + i);
  }
  series.summary = summarise(series.values.values);
  SurveyIndex index;
  index.models = {{}};
  index.measures = {{"m", SurveyIndex::Scope::Model, "", "", ""}};
  many.index = std::make_shared<const SurveyIndex>(index);
  many.measure = 0;
  many.series = {series};
  const SurveyDrawing drawing = surveyDrawing(many, SurveyShow::Distributions);
  ASSERT_EQ(drawing.plots[0].curves.size(), 1u);
  EXPECT_EQ(drawing.plots[0].curves[0].y.size(), 200u);
  EXPECT_EQ(drawing.plots[0].curves[0].y.front(), 4900);
  EXPECT_EQ(drawing.plots[0].curves[0].y.back(), 5099);
}

TEST_F(SurveyFigureTest, StandsClassesBesideEachOther) {
  const SurveyAnswer asked = answer({.measure = "distance", .byClass = true});
  const SurveyDrawing drawing = surveyDrawing(asked, SurveyShow::Distributions);
  ASSERT_EQ(drawing.plots.size(), 4u) << "a plot for each layer of each model";
  ASSERT_EQ(drawing.plots[0].boxes.size(), 4u);
  EXPECT_LT(drawing.plots[0].boxes[0].x, 0);
  EXPECT_GT(drawing.plots[0].boxes[1].x, 0);
  const std::vector<LegendEntry> legend = legendOf(drawing.plots);
  ASSERT_EQ(legend.size(), 2u);
  EXPECT_EQ(legend[0].name, QStringLiteral("cat"));
}

TEST_F(SurveyFigureTest, ReachesAsFarAsTheStandardError) {
  const SurveyAnswer asked = answer({.measure = "distance"});
  const SurveyDrawing drawing = surveyDrawing(asked, SurveyShow::Means);
  ASSERT_EQ(drawing.plots.size(), 1u) << "models beside each other";
  const Plot& plot = drawing.plots[0];
  ASSERT_EQ(plot.curves.size(), 2u);
  EXPECT_EQ(plot.curves[1].name, QStringLiteral("sima"));
  EXPECT_DOUBLE_EQ(plot.curves[1].y[0], 11.5);
  EXPECT_NEAR(plot.curves[1].reach[0], 0.1767766952966369, 1e-15);
  EXPECT_LT(plot.curves[0].x[0], plot.curves[1].x[0]);
}

TEST_F(SurveyFigureTest, DrawsDifferencesAboutZero) {
  const SurveyDrawing drawing =
      surveyDrawing(answer({.measure = "accuracy"}), SurveyShow::Differences);
  ASSERT_EQ(drawing.plots.size(), 1u);
  EXPECT_EQ(drawing.plots[0].title, QStringLiteral("sima − soft"));
  // Of the pictures 0 to 4 soft is right on 1, 2 and 4, sima on 0, 1, 3 and 4.
  EXPECT_DOUBLE_EQ(drawing.plots[0].curves[0].y[0], 0.2);
  EXPECT_EQ(drawing.plots[0].levels[0].value, 0);
}

TEST_F(SurveyFigureTest, ContrastsMeasuresOfModelsOnOneAxisAndOfHeadsOnOneEach) {
  const SurveyDrawing heads =
      surveyDrawing(answer({.measure = "line_score", .against = "distance"}), SurveyShow::Contrast);
  ASSERT_EQ(heads.plots.size(), 2u);
  const QString subtracted = QStringLiteral("Line score − Attention distance");
  EXPECT_EQ(heads.plots[0].title, QStringLiteral("soft: ") + subtracted);
  EXPECT_EQ(heads.plots[1].title, QStringLiteral("sima: ") + subtracted);
  EXPECT_TRUE(heads.about.contains(subtracted));
  EXPECT_EQ(heads.plots[0].levels[0].value, 0);
  const SurveyDrawing models =
      surveyDrawing(answer({.measure = "accuracy", .against = "accuracy"}), SurveyShow::Contrast);
  ASSERT_EQ(models.plots.size(), 1u);
  EXPECT_EQ(models.plots[0].title, QStringLiteral("Accuracy − Accuracy"));
  EXPECT_EQ(models.plots[0].x.names,
            (std::vector<QString>{QStringLiteral("soft"), QStringLiteral("sima")}));
  EXPECT_DOUBLE_EQ(models.plots[0].curves[0].y[0], 0);
}

TEST_F(SurveyFigureTest, KeepsWhatAPointStandsForBesideIt) {
  const SurveyAnswer asked = answer({.measure = "line_score", .against = "distance"});
  const SurveyDrawing drawing = surveyDrawing(asked, SurveyShow::Scatter);
  ASSERT_EQ(drawing.plots.size(), 1u);
  const Plot& plot = drawing.plots[0];
  ASSERT_EQ(plot.curves.size(), 2u);
  EXPECT_TRUE(plot.curves[0].group.startsWith(QStringLiteral("soft · r = ")));
  for (std::size_t c = 0; c < plot.curves.size(); ++c) {
    EXPECT_TRUE(std::is_sorted(plot.curves[c].x.begin(), plot.curves[c].x.end()));
    for (std::size_t i = 0; i < plot.curves[c].x.size(); ++i) {
      const SurveyPoint& point = drawing.points[0][c][i];
      const SurveySeries& series = asked.series[point.series];
      EXPECT_EQ(series.unit.model, static_cast<int>(c));
      EXPECT_EQ(plot.curves[c].x[i], series.against[point.index]);
      EXPECT_EQ(plot.curves[c].y[i], series.values.values[point.index]);
    }
  }
}

TEST_F(SurveyFigureTest, HasBarsAsWideAsTheirBins) {
  const SurveyDrawing drawing =
      surveyDrawing(answer({.measure = "distance"}), SurveyShow::Histogram);
  ASSERT_EQ(drawing.plots.size(), 2u);
  const PlotCurve& bars = drawing.plots[0].curves[0];
  EXPECT_NEAR(bars.x[1] - bars.x[0], bars.barWidth, 1e-12);
  EXPECT_EQ(bars.line, PlotCurve::Line::Bars);
  EXPECT_TRUE(drawing.plots[0].y.counts);
  ASSERT_TRUE(drawing.plots[0].y.range);
  EXPECT_EQ(drawing.plots[0].y.range->first, 0);
}

TEST_F(SurveyFigureTest, CallsLayersByTheirBlocksWhereThatIsEnough) {
  const auto namesOf = [&](const std::string& first, const std::string& second) {
    change("UPDATE layer SET name = '" + first + "' WHERE position = 0; UPDATE layer SET name = '" +
           second + "' WHERE position = 1");
    return surveyDrawing(answer({.measure = "distance"}), SurveyShow::Means).plots[0].x.names;
  };
  EXPECT_EQ(namesOf("block1.0.att.mha.attn", "block4.1.attn"),
            (std::vector<QString>{QStringLiteral("block1.0 0"), QStringLiteral("1"),
                                  QStringLiteral("block4.1 0")}));
  EXPECT_EQ(namesOf("blocks.0.attn", "blocks.0.cross"),
            (std::vector<QString>{QStringLiteral("blocks.0.attn 0"), QStringLiteral("1"),
                                  QStringLiteral("blocks.0.cross 0")}));
}

TEST_F(SurveyFigureTest, OfOneValueStillHasABar) {
  change("UPDATE head_value SET distance = 0");
  const SurveyDrawing drawing =
      surveyDrawing(answer({.measure = "distance"}), SurveyShow::Histogram);
  EXPECT_GT(drawing.plots[0].curves[0].barWidth, 0);
}

TEST_F(SurveyFigureTest, HasACurveOverTheStepsForEveryHead) {
  SmallSurvey::makeSteps(path_);
  const SurveyDrawing drawing = surveyDrawing(answer({.measure = "distance"}), SurveyShow::Steps);
  ASSERT_EQ(drawing.plots.size(), 1u);
  const Plot& plot = drawing.plots[0];
  EXPECT_EQ(plot.title, QStringLiteral("epoch_*"));
  ASSERT_EQ(plot.curves.size(), 3u);
  EXPECT_EQ(plot.curves[1].name, QStringLiteral("first · head 1"));
  EXPECT_EQ(plot.curves[1].group, QStringLiteral("first"));
  EXPECT_EQ(plot.curves[1].color, plot.curves[0].color) << "of one layer";
  EXPECT_NE(plot.curves[2].color, plot.curves[0].color);
  EXPECT_EQ(plot.curves[1].x, (std::vector<double>{5, 10}));
  EXPECT_EQ(plot.curves[1].y, (std::vector<double>{21.5, 20.5}));
  EXPECT_GT(plot.curves[1].reach[0], 0);
  EXPECT_FALSE(plot.y.logarithmic);
  change("UPDATE head_value SET distance = distance / 100000 WHERE head = 0");
  EXPECT_TRUE(
      surveyDrawing(answer({.measure = "distance"}), SurveyShow::Steps).plots[0].y.logarithmic)
      << "or small values could not be told from zero";
}

TEST(SurveyPlots, AnEmptyOneLeavesTheAxisToTheOthers) {
  Plot full;
  PlotCurve curve;
  curve.x = {0, 1};
  curve.y = {40, 50};
  full.curves = {curve};
  Plot empty;
  std::vector<Plot> plots{empty, full};
  const auto own = rangeOf(full).y;
  shareVerticalRange(plots);
  EXPECT_EQ(plots[0].y.range, own);
  EXPECT_EQ(plots[1].y.range, own);
}

TEST(SurveyPlots, ALongAxisLabelIsOfTwoLines) {
  SurveyIndex::Measure measure;
  measure.title = "Squared distance of queries from landmarks, median";
  measure.unit = "px";
  EXPECT_EQ(measureAxisLabel(measure),
            QStringLiteral("Squared distance of queries\nfrom landmarks, median"));
  measure.title = "Attention distance";
  EXPECT_EQ(measureAxisLabel(measure), QStringLiteral("Attention distance (px)"));
}

}  // namespace
}  // namespace softscope
