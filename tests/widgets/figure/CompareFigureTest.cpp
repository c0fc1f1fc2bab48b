#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/query/ComparedAnswers.h"
#include "core/query/QueryToken.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/query/ValueRange.h"

#include <QtGui/QPainter>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using testing::ElementsAre;

CompareRow row(const char* name, const AttentionDescription& attention,
               const PictureRegion& region = {16, 0, 64, 64}) {
  CompareRow compared;
  compared.modelName = name;
  compared.region = region;
  compared.layer.name = "block2.0.attn";
  compared.layer.attention = test::syntheticMap(attention);
  return compared;
}

/// A comparison, and how it is printed.
struct CompareTestFigure : CompareSubject {
  FigureSettings settings;

  PanelFigure panels() const { return compareFigure(*this, settings); }
};

CompareTestFigure compareTestFigure() {
  CompareTestFigure figure;
  figure.picture = std::make_shared<const Picture>(readPicture(test::writeTestPicture(96, 64)));
  figure.rows = {row("alpha", test::gridAttention(2, 8, 8)),
                 row("beta", test::gridAttention(2, 4, 4))};
  figure.rows[1].mechanismNote = "not what was trained";
  figure.rows[0].prediction = "tabby 87.3 %";
  figure.queries = markedQueries({{0.4, 0.3}, {0.6, 0.8}});
  return figure;
}

std::string compareSvg(const CompareTestFigure& figure) {
  const PanelFigure panels = figure.panels();
  return figureSvg(panelFigureSize(panels), 100,
                   [&](QPainter& painter, const QRectF& place) {
                     paintPanelFigure(painter, place, panels);
                   })
      .toStdString();
}

int countOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

int tokenOf(const CompareSubject& figure, std::size_t rowIndex, std::size_t query) {
  const CompareRow& compared = figure.rows[rowIndex];
  return queryToken(compared.layer.attention->description(),
                    PictureExtent(*figure.picture, compared.region), figure.queries[query].query);
}

TEST(CompareFigure, EveryRowAnswersInItsOwnGrid) {
  const CompareTestFigure figure = compareTestFigure();
  const auto lines = comparedLines(figure);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].query, 0);
  EXPECT_EQ(lines[1].row, 1);
  EXPECT_EQ(lines[3].query, 1);
  ASSERT_EQ(lines[1].panels.size(), 2u);
  const int token = tokenOf(figure, 1, 0);
  for (int key = 0; key < 16; ++key) {
    EXPECT_FLOAT_EQ(lines[1].panels[1].values.patches[key], test::syntheticValue(1, token, key));
  }
  EXPECT_EQ(lines[0].panels[0].query->color, queryColor(0));
  EXPECT_EQ(lines[2].picturePanel.query->letter, QStringLiteral("B"));
}

TEST(CompareFigure, RowsThatSawOtherPartsAreMarkedThere) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[1].region = {0, 0, 96, 64};
  const auto lines = comparedLines(figure);
  // 0.35 of what the first saw is in its third patch of eight, 0.4 of the second's in its second of
  // four: the marks are in their middles.
  EXPECT_DOUBLE_EQ(lines[0].panels[0].query->place.x(), 2.5 / 8);
  EXPECT_DOUBLE_EQ(lines[0].panels[0].query->patch.left(), 2.0 / 8);
  EXPECT_DOUBLE_EQ(lines[1].panels[0].query->place.x(), 1.5 / 4);
  EXPECT_DOUBLE_EQ(lines[1].aspect, 1.5);
}

TEST(CompareFigure, CaptionsSayWhatARowIs) {
  const std::string svg = compareSvg(compareTestFigure());
  for (const char* text : {"alpha", "beta", "block2.0.attn", "tabby 87.3 %", "not what was trained",
                           "8 × 8 patches", "4 × 4 patches"}) {
    EXPECT_GT(countOf(svg, text), 0) << text;
  }
}

TEST(CompareFigure, CaptionsSayWhatColoursDoNot) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[0].input = "input 64 × 64";
  figure.rows[1].input = "input 96 × 128";
  const auto even = [](Eigen::Index query, Eigen::Index key) {
    return 1 + 1e-3F * static_cast<float>((query + key) % 2);
  };
  figure.rows[1].layer.attention = std::make_shared<DenseMap>(
      test::gridAttention(1, 4, 4),
      MatrixStack(std::vector<Matrix>{Matrix::NullaryExpr(16, 16, even)}));
  for (const bool table : {false, true}) {
    figure.shown = {.single = !table, .mean = table};
    const std::string svg = compareSvg(figure);
    for (const char* text : {"input 64 × 64", "input 96 × 128", "nearly uniform, within 0.05 %"}) {
      EXPECT_GT(countOf(svg, text), 0) << text << (table ? " in a table" : " in lines");
    }
  }
  figure.rows[1].input = figure.rows[0].input;
  EXPECT_EQ(countOf(compareSvg(figure), "input"), 0) << "where it is the same for all";
}

TEST(CompareFigure, LinkedScalesAreOneRangeForAll) {
  CompareTestFigure figure = compareTestFigure();
  const auto free = comparedLines(figure);
  figure.linkedScales = true;
  const auto linked = comparedLines(figure);
  float low = free[0].panels[0].range.low;
  float high = free[0].panels[0].range.high;
  for (const ComparedLine& line : free) {
    for (const HeadPanel& panel : line.panels) {
      EXPECT_FLOAT_EQ(panel.range.low, panel.values.patches.minCoeff());
      low = std::min(low, panel.range.low);
      high = std::max(high, panel.range.high);
    }
  }
  for (const ComparedLine& line : linked) {
    EXPECT_TRUE(line.sharedBar);
    for (const HeadPanel& panel : line.panels) {
      EXPECT_FLOAT_EQ(panel.range.low, low);
      EXPECT_FLOAT_EQ(panel.range.high, high);
      EXPECT_FALSE(panel.colorBar);
    }
  }
  EXPECT_EQ(countOf(compareSvg(figure), "all models"), 1);
}

TEST(CompareFigure, QueriesStandSideBySideWhereThereIsRoom) {
  CompareTestFigure figure = compareTestFigure();
  EXPECT_EQ(countOf(compareSvg(figure), ">alpha<"), 1) << "two times three panels fit";
  figure.settings.width = FigureSettings::oneColumn;
  EXPECT_EQ(countOf(compareSvg(figure), ">alpha<"), 2);
}

TEST(CompareFigure, OnePanelEachStandsBesideTheOthersAsInSoftsFigure3) {
  CompareTestFigure figure = compareTestFigure();
  figure.shown = {.single = false, .mean = true};
  const std::string columns = compareSvg(figure);
  EXPECT_EQ(countOf(columns, ">alpha<"), 1) << "above its column, not above every query";
  const double wide = panelFigureSize(figure.panels()).height();
  figure.settings.columns = 2;
  EXPECT_GT(panelFigureSize(figure.panels()).height(), wide) << "no room for three columns";
  EXPECT_EQ(countOf(compareSvg(figure), ">alpha<"), 2);
}

TEST(CompareFigure, NamesThatAreTooLongForAColumnBreak) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[0].modelName = "soft_norm_everyday10";
  figure.rows[1].modelName = "soft_everyday10";
  figure.shown = {.single = false, .mean = true};
  figure.differences = {{0, 1, true}};
  const std::string svg = compareSvg(figure);
  EXPECT_GT(countOf(svg, ">soft_norm_everyday10 −<"), 0);
  EXPECT_GT(countOf(svg, ">soft_everyday10<"), 0);
}

TEST(CompareFigure, DifferenceIsTheFirstMinusTheSecondOnTheFinerGrid) {
  CompareTestFigure figure = compareTestFigure();
  figure.differences = {{1, 0, false}};
  const auto lines = comparedLines(figure);
  ASSERT_EQ(lines.size(), 6u);
  const ComparedLine& line = lines[2];
  EXPECT_TRUE(line.isDifference);
  EXPECT_EQ(line.name, QStringLiteral("beta − alpha"));
  ASSERT_EQ(line.panels.size(), 2u);
  const AttentionValues& values = line.panels[1].values;
  ASSERT_EQ(values.grid, (TokenGrid{8, 8}));
  const int coarse = tokenOf(figure, 1, 0);
  const int fine = tokenOf(figure, 0, 0);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      // Each coarse weight is shared out over four patches.
      EXPECT_NEAR(values.at(y, x),
                  test::syntheticValue(1, coarse, y / 2 * 4 + x / 2) / 4 -
                      test::syntheticValue(1, fine, y * 8 + x),
                  1e-6);
    }
  }
  const ValueRange& range = line.panels[1].range;
  EXPECT_TRUE(range.centred);
  EXPECT_FLOAT_EQ(range.low, -range.high);
  EXPECT_FLOAT_EQ(range.high, values.patches.cwiseAbs().maxCoeff());
  EXPECT_TRUE(line.panels[1].heat.colors->diverging);
  EXPECT_TRUE(line.about.contains(
      QStringLiteral("the coarser shared out by area over the finer's 8 × 8 patches")));
}

TEST(CompareFigure, NormalisedDifferenceComparesShapes) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[1] = figure.rows[0];
  figure.differences = {{0, 1, true}};
  figure.view.absolute = true;
  const auto lines = comparedLines(figure);
  EXPECT_FLOAT_EQ(lines[2].panels[0].values.patches.cwiseAbs().maxCoeff(), 0.0f);
  EXPECT_FALSE(lines[2].panels[0].heat.absolute) << "a difference has a sign";
  EXPECT_GT(countOf(compareSvg(figure), "normalised"), 0);
}

TEST(CompareFigure, DifferenceOfOtherHeadCountsIsOfMeans) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[1] = row("gamma", test::gridAttention(3, 8, 8));
  figure.differences = {{0, 1, false}};
  const ComparedLine line = comparedLines(figure)[2];
  ASSERT_EQ(line.panels.size(), 1u);
  const int token = tokenOf(figure, 0, 0);
  const float two = (test::syntheticValue(0, token, 9) + test::syntheticValue(1, token, 9)) / 2;
  float three = 0;
  for (int head = 0; head < 3; ++head) three += test::syntheticValue(head, token, 9) / 3;
  EXPECT_NEAR(line.panels[0].values.patches[9], two - three, 1e-6);
}

TEST(CompareFigure, WhatCannotBeSubtractedSaysWhy) {
  CompareTestFigure figure = compareTestFigure();
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  channels.heads = 2;
  channels.queries = channels.keys = 48;
  figure.rows[1] = row("delta", channels);
  figure.differences = {{0, 1, false}};
  const ComparedLine line = comparedLines(figure)[2];
  EXPECT_TRUE(line.panels.empty());
  EXPECT_TRUE(line.about.contains(QStringLiteral("no difference")));
  EXPECT_GT(panelFigureSize(figure.panels()).height(), 0);
}

TEST(CompareFigure, HeadsThatARowLacksAreRefused) {
  CompareTestFigure figure = compareTestFigure();
  figure.shown.heads = {2};
  EXPECT_THROW(comparedLines(figure), InspectionError);
}

TEST(CompareFigure, ArraysStartWithUniqueNames) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[1].modelName = "alpha";
  figure.queries = markedQueries({{0.4, 0.3}});
  figure.shown = {.single = false, .mean = true};
  figure.differences = {{0, 1, false}};
  std::vector<std::string> names;
  for (const auto& [name, array] : comparedArrays(answersOf(figure))) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("alpha.block2_0_attn.row_2_2.mean", "alpha_2.block2_0_attn.row_1_1.mean",
                          "alpha_minus_alpha_2.row_2_2.mean"));
}

/// Every patch painted on a lattice that both grids divide, and averaged from there.
TEST(DifferenceValues, ResamplingAveragesByArea) {
  LocatedValues from;
  from.values.grid = {3, 2};
  from.values.onPicture = true;
  from.values.patches.resize(6);
  from.values.patches << 1, -2, 4, 8, 16, 5;
  from.region = {10, 20, 12, 12};
  const LocatedValues onto = resampled(from, {4, 4}, from.region);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      double sum = 0;
      for (int y = 3 * row; y < 3 * row + 3; ++y) {
        for (int x = 3 * column; x < 3 * column + 3; ++x) sum += from.values.at(y / 4, x / 6);
      }
      EXPECT_NEAR(onto.values.at(row, column), sum / 9, 1e-5);
    }
  }
}

TEST(DifferenceValues, WhatWasNotSeenIsNotANumber) {
  LocatedValues from;
  from.values.grid = {1, 2};
  from.values.onPicture = true;
  from.values.patches.resize(2);
  from.values.patches << 3, 5;
  from.region = {2, 0, 4, 2};
  const LocatedValues onto = resampled(from, {1, 2}, {0, 0, 4, 2});
  EXPECT_TRUE(std::isnan(onto.values.patches[0]));
  EXPECT_FLOAT_EQ(onto.values.patches[1], 3);
}

TEST(CompareFigure, PicturesStandBelowEachOtherWithTheirPredictions) {
  CompareTestFigure first = compareTestFigure();
  first.shown = {.single = false, .mean = true};
  CompareTestFigure second = first;
  second.rows[0].prediction = "leopard 51.2 %";
  const PanelFigure one = compareFigure(first, {});
  const PanelFigure both = compareFigure({first, second}, {});
  ASSERT_EQ(both.columnHeads.size(), one.columnHeads.size());
  EXPECT_TRUE(one.columnHeads[1].about.contains(QStringLiteral("tabby")));
  EXPECT_FALSE(both.columnHeads[1].about.contains(QStringLiteral("tabby")));
  ASSERT_EQ(both.blocks.size(), 2 * one.blocks.size());
  EXPECT_TRUE(both.blocks.front().cells[1].panel.note.startsWith(QStringLiteral("tabby 87.3 %")));
  EXPECT_TRUE(both.blocks.back().cells[1].panel.note.startsWith(QStringLiteral("leopard 51.2 %")));
  EXPECT_EQ(both.blocks.front().cells[1].panel.title, one.blocks.front().cells[1].panel.title)
      << "titles are shortened, and a probability with them";
  EXPECT_EQ(both.blocks.front().cells[2].panel.note, one.blocks.front().cells[2].panel.note)
      << "a backbone predicts nothing";

  first.shown = second.shown = {};
  const PanelFigure rows = compareFigure({first, second}, {});
  ASSERT_EQ(rows.blocks.size(), 4u);
  EXPECT_EQ(rows.blocks[0].caption->result, QStringLiteral("tabby 87.3 %"));
  EXPECT_EQ(rows.blocks[2].caption->result, QStringLiteral("leopard 51.2 %"));
}

TEST(CompareFigure, ColumnsSayWhatIsToBeKnownOfEachPicture) {
  CompareTestFigure first = compareTestFigure();
  first.shown = {.single = false, .mean = true};
  CompareTestFigure second = first;
  first.rows[0].input = "input 64 × 64";
  const QString said = QStringLiteral("input 64 × 64");
  for (const PanelFigure& both :
       {compareFigure({first, second}, {}), compareFigure({second, first}, {}),
        compareFigure({first, first}, {})}) {
    ASSERT_EQ(both.columnHeads.size(), 3u);
    EXPECT_EQ(both.columnHeads[1].about.count(said), 1);
    EXPECT_FALSE(both.columnHeads[2].about.contains(said));
  }
}

TEST(CompareFigure, AnAnswerThatIsNoNumberIsNoClass) {
  Inspection inspection = *test::syntheticInspection();
  const ModelSummary summary = test::syntheticModel({})->summary();
  const auto predictionOf = [&] {
    return compareRow(summary, inspection, inspection.layers[0], {0, 0, 64, 64}).prediction;
  };
  EXPECT_THAT(predictionOf(), testing::HasSubstr("tiger cat"));
  inspection.logits[2] = std::nanf("");
  EXPECT_EQ(predictionOf(), "no class: the logits are not finite");
  inspection.logits.clear();
  EXPECT_EQ(predictionOf(), "") << "a backbone predicts nothing";
}

TEST(CompareFigure, ALinkedRangeIsThatOfFiniteValues) {
  CompareTestFigure figure = compareTestFigure();
  figure.rows[0].layer.attention = std::make_shared<DenseMap>(
      test::gridAttention(1, 8, 8),
      MatrixStack(std::vector<Matrix>{Matrix::Constant(64, 64, std::nanf(""))}));
  const auto even = [](Eigen::Index, Eigen::Index key) { return 2 + static_cast<float>(key); };
  figure.rows[1].layer.attention = std::make_shared<DenseMap>(
      test::gridAttention(1, 4, 4),
      MatrixStack(std::vector<Matrix>{Matrix::NullaryExpr(16, 16, even)}));
  figure.linkedScales = true;
  const std::vector<ComparedLine> lines = comparedLines(figure);
  ASSERT_GE(lines.size(), 2u);
  for (const ComparedLine& line : lines) {
    EXPECT_FLOAT_EQ(line.panels.front().range.low, 2) << "and not 0";
  }
}

TEST(DifferenceValues, AValueThatIsNotFiniteStaysWhereItsPatchLies) {
  LocatedValues coarse;
  coarse.region = {0, 0, 64, 64};
  coarse.values.onPicture = true;
  coarse.values.grid = {4, 4};
  coarse.values.patches = Vector::Constant(16, 1);
  coarse.values.patches[1 * 4 + 2] = std::nanf("");
  const LocatedValues fine = resampled(coarse, {8, 8}, coarse.region);
  ASSERT_EQ(fine.values.patches.size(), 64);
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const float value = fine.values.patches[row * 8 + column];
      const bool isThere = row / 2 == 1 && column / 2 == 2;
      EXPECT_EQ(std::isnan(value), isThere) << row << ", " << column;
      if (isThere) continue;
      EXPECT_FLOAT_EQ(value, 1) << row << ", " << column;
    }
  }
  // A cell of three by three, where most cover parts of several patches.
  const LocatedValues coarser = resampled(coarse, {3, 3}, coarse.region);
  EXPECT_EQ(coarser.values.patches.array().isNaN().count(), 4);
}

}  // namespace
}  // namespace softscope
