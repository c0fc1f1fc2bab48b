#include "core/attention/DenseMap.h"
#include "core/image/ColorMap.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/analysis/MatrixFigure.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace softscope {
namespace {

AnalysedLayer layerOf(AttentionDescription attention, const std::string& model = "net") {
  auto inspection = std::make_shared<Inspection>();
  inspection->layers.resize(1);
  inspection->layers[0].name = "block1.0.attn";
  inspection->layers[0].attention = test::syntheticMap(std::move(attention));
  return {model, {}, inspection, 0, {0, 0, 64, 64}};
}

/// Independent of averaged(): the entries themselves, summed in double.
double meanOf(int head, const MatrixPart& part) {
  double sum = 0;
  for (int i = 0; i < part.rows; ++i) {
    for (int j = 0; j < part.columns; ++j) {
      sum += double(test::syntheticValue(head, part.firstRow + i, part.firstColumn + j));
    }
  }
  return sum / (double(part.rows) * part.columns);
}

TEST(MatrixPart, IsAllThatTheFractionsTouch) {
  EXPECT_EQ(matrixPart(MatrixFraction{0, 0, 1, 1}, 49, 7), (MatrixPart{0, 0, 49, 7}));
  EXPECT_EQ(matrixPart(MatrixFraction{0.25, 0.5, 0.25, 0.25}, 8, 16), (MatrixPart{4, 4, 2, 4}));
  EXPECT_EQ(matrixPart(MatrixFraction{0.26, 0.51, 0.25, 0.25}, 8, 16), (MatrixPart{4, 4, 3, 5}));
  EXPECT_EQ(matrixPart(MatrixFraction{0.999, 0.999, 0.0001, 0.0001}, 8, 16),
            (MatrixPart{7, 15, 1, 1}));
  // Thirds are not whole in binary.
  EXPECT_EQ(matrixPart(MatrixFraction{1.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 3),
            (MatrixPart{2, 1, 1, 1}));
}

TEST(MatrixFigure, AveragesAreThoseOfTheEntries) {
  MatrixSettings settings;
  settings.head = 1;
  const auto matrices = averageMatrices({layerOf(test::gridAttention(2, 4, 6, 1))},
                                        settings.onlyHead(), {0.2, 0.4, 0.6, 0.6}, 5);
  ASSERT_EQ(matrices[0].heads.size(), 1u);
  const AveragedPart& averages = matrices[0].heads[0].averages;
  EXPECT_EQ(averages.part, (MatrixPart{10, 5, 15, 15}));
  ASSERT_EQ(averages.values->rows(), 5);
  EXPECT_NEAR((*averages.values)(2, 3), meanOf(1, {16, 14, 3, 3}), 1e-6);
}

TEST(MatrixFigure, AHeadThatALayerLacksIsItsObstacle) {
  MatrixSettings settings;
  settings.head = 2;
  const auto matrices = averageMatrices(
      {layerOf(test::gridAttention(2, 4, 4)), layerOf(test::gridAttention(3, 4, 4))},
      settings.onlyHead(), {0, 0, 1, 1}, 16);
  EXPECT_FALSE(matrices[0].obstacle.empty());
  EXPECT_TRUE(matrices[1].obstacle.empty());
  EXPECT_EQ(matrixArrays(matrices).size(), 1u + 4u) << "one head and its line measures";
}

TEST(MatrixFigure, ArraysAreNamedByModelLayerAndHead) {
  MatrixSettings settings;
  settings.allHeads = true;
  auto matrices = averageMatrices({layerOf(test::gridAttention(2, 4, 4))}, settings.onlyHead(),
                                  {0, 0, 1, 1}, 1024);
  addLineMeasures(matrices);
  const NamedArrays arrays = matrixArrays(matrices);
  ASSERT_EQ(arrays.size(), 2u + 4u);
  EXPECT_EQ(arrays[1].first, "net.block1_0_attn.head_1");
  EXPECT_EQ(arrays[1].second.shape, (std::vector<std::int64_t>{16, 16}));
  EXPECT_EQ(arrays[1].second.values[3 * 16 + 5], test::syntheticValue(1, 3, 5));
  EXPECT_EQ(arrays[2].first, "net.block1_0_attn.line_score");
  ASSERT_EQ(arrays[2].second.values.size(), 2u);
  EXPECT_GT(arrays[2].second.values[0], 0);
  EXPECT_LT(arrays[2].second.values[0], 1);
}

TEST(MatrixFigure, DataSayThatOneQueryHasNoLines) {
  auto matrices = averageMatrices({layerOf(test::gridAttention(2, 1, 1))}, {}, {0, 0, 1, 1}, 16);
  addLineMeasures(matrices);
  EXPECT_EQ(matrixArrays(matrices).sentence,
            "There are no line scores, since the matrices have a single query or no variance.");
}

TEST(MatrixFigure, MechanismsOnTheSameWeightsStandBesideEachOther) {
  std::vector<AnalysedLayer> layers;
  for (const char* mechanism : {"nonlocal", "nonlocal_scaled"}) {
    AttentionDescription attention = test::gridAttention(2, 4, 4);
    attention.mechanism = mechanism;
    layers.push_back(layerOf(attention, layers.empty() ? "nl" : "nl_2"));
  }
  MatrixSettings settings;
  const auto matrices = averageMatrices(layers, settings.onlyHead(), {0, 0, 1, 1}, 16);
  const PanelFigure figure = matrixFigure(matrices, {settings, {}, {}, nullptr});
  ASSERT_EQ(figure.blocks.size(), 1u);
  ASSERT_EQ(figure.blocks[0].cells.size(), 2u);
  EXPECT_EQ(figure.blocks[0].cells[1].panel.title, QStringLiteral("scaled non-local"));
  settings.allHeads = true;
  EXPECT_EQ(matrixFigure(averageMatrices(layers, settings.onlyHead(), {0, 0, 1, 1}, 16),
                         {settings, {}, {}, nullptr})
                .blocks.size(),
            2u)
      << "a block for each where there are several heads";
}

TEST(MatrixFigure, SaysWhatRowsAndColumnsAre) {
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  channels.heads = 1;
  channels.queries = channels.keys = 8;
  MatrixSettings settings;
  auto matrices = averageMatrices({layerOf(channels)}, settings.onlyHead(), {0, 0, 1, 1}, 16);
  MatrixPanel panel = matrixPanel(matrices[0], matrices[0].heads[0]);
  EXPECT_EQ(panel.rowLabel, QStringLiteral("← 8 channels of Q"));
  EXPECT_EQ(panel.columnLabel, QStringLiteral("8 channels of K →"));
  EXPECT_TRUE(rowMarks(matrices[0].of, {}, {MarkedQuery{}}).empty()) << "no place asks for a row";

  matrices = averageMatrices({layerOf(test::gridAttention(1, 4, 6, 1))}, settings.onlyHead(),
                             {0, 0, 1, 1}, 16);
  panel = matrixPanel(matrices[0], matrices[0].heads[0]);
  EXPECT_EQ(panel.rowLabel, QStringLiteral("← queries: class token, 4 × 6 patches"));
  EXPECT_EQ(panel.columnLabel, QStringLiteral("keys: class token, 4 × 6 patches →"));

  AttentionDescription classOnly;
  classOnly.mechanism = "softmax_class";
  classOnly.heads = 1;
  classOnly.queries = 1;
  classOnly.keys = 25;
  classOnly.prefixTokens = 1;
  classOnly.keyGrid = TokenGrid{4, 6};
  matrices = averageMatrices({layerOf(classOnly)}, settings.onlyHead(), {0, 0, 1, 1}, 16);
  EXPECT_EQ(matrixPanel(matrices[0], matrices[0].heads[0]).rowLabel,
            QStringLiteral("← queries: class token"));
}

/// A panel of what is given, of one colour a value.
MatrixPanel panelOf(const Matrix& values, const MatrixPart& part, int queries, int keys) {
  MatrixPanel panel;
  panel.queries = queries;
  panel.keys = keys;
  panel.whole = {part, std::make_shared<const Matrix>(values)};
  panel.range = {0, 1, false, false};
  panel.heat.colors = &colorMap("grey");
  return panel;
}

TEST(MatrixImage, EntriesSmallerThanAPixelAreAveraged) {
  Matrix values(4, 4);
  values << 0, 1, 0, 0,  //
      1, 0, 0, 0,        //
      1, 1, 1, 1,        //
      1, 1, 1, 1;
  const QImage image = matrixImage(panelOf(values, {0, 0, 4, 4}, 4, 4), {2, 2});
  EXPECT_NEAR(qGray(image.pixel(0, 0)), 128, 2);
  EXPECT_EQ(qGray(image.pixel(1, 0)), 0);
  EXPECT_EQ(qGray(image.pixel(0, 1)), 255);
}

TEST(MatrixImage, TheFinerPartLiesWhereItBelongs) {
  MatrixPanel panel = panelOf(Matrix::Zero(1, 1), {0, 0, 8, 8}, 8, 8);
  panel.detail = {{2, 4, 2, 2}, std::make_shared<const Matrix>(Matrix::Ones(2, 2))};
  const QImage image = matrixImage(panel, {16, 16});
  EXPECT_EQ(qGray(image.pixel(8, 4)), 255);
  EXPECT_EQ(qGray(image.pixel(11, 7)), 255);
  EXPECT_EQ(qGray(image.pixel(7, 4)), 0);
  EXPECT_EQ(qGray(image.pixel(8, 3)), 0);
  EXPECT_EQ(qGray(image.pixel(12, 8)), 0);
  panel.visible = {0.5, 0.25, 0.25, 0.25};
  EXPECT_EQ(matrixImage(panel, {8, 8}).pixel(7, 7), image.pixel(8, 4)) << "all that is shown";
}

TEST(MatrixFigure, SaysThatALineScoreIsNotFinite) {
  const AttentionDescription attention = test::gridAttention(1, 4, 4);
  LineMeasures lines;
  EXPECT_EQ(lineScoreText(lines, attention), QStringLiteral("constant"));
  lines.score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lineScoreText(lines, attention), QStringLiteral("not finite"));
}

TEST(MatrixFigure, AHeadHasTheColoursOfSignedValuesBesideASignedHead) {
  const auto isCentred = [](const std::vector<Matrix>& heads, std::optional<int> head,
                            const ViewSettings& view) {
    const auto inspection = std::make_shared<const Inspection>(Inspection{
        .layers = {{.name = "layer",
                    .attention = std::make_shared<DenseMap>(
                        AttentionDescription{.mechanism = "sima"}, MatrixStack(heads))}}});
    const auto matrices =
        averageMatrices({{"net", {}, inspection, 0, {0, 0, 1, 1}}}, head, {0, 0, 1, 1}, 16);
    return matrixRanges(matrices.front(), view).front().centred;
  };
  const std::vector<Matrix> heads{Matrix{{1, 2}, {3, 4}}, Matrix{{-1, 2}, {3, -4}}};
  EXPECT_TRUE(isCentred(heads, std::nullopt, {}));
  EXPECT_TRUE(isCentred(heads, 0, {}));
  EXPECT_FALSE(isCentred(heads, 0, {.absolute = true}));
  EXPECT_FALSE(isCentred({heads[0], heads[0]}, 0, {}));
}

}  // namespace
}  // namespace softscope
