#include "core/analysis/sinks/SinksAnalysis.h"
#include "core/attention/DenseMap.h"

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

LayerInspection sinkingLayer(const std::string& name, int key, float weight) {
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = TokenGrid{2, 2};
  description.keyGrid = description.queryGrid;
  description.prefixTokens = 1;
  Matrix matrix = Matrix::Constant(5, 5, (1 - weight) / 4);
  matrix.col(key).setConstant(weight);
  LayerInspection layer;
  layer.name = name;
  layer.attention = std::make_shared<DenseMap>(
      description, MatrixStack(std::vector<Matrix>{matrix, Matrix::Constant(5, 5, 0.2f)}));
  layer.valueNorms = Matrix::Ones(2, 5);
  layer.valueNorms(0, key) = 0.125f;
  return layer;
}

TEST(SinksAnalysis, NamesTheTokenOfEveryHeadAndCountsSinks) {
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {sinkingLayer("blocks.0.attn", 0, 0.5f),
                        sinkingLayer("blocks.1.attn", 4, 0.75f)};
  LayerInspection channels;
  channels.name = "channels";
  AttentionDescription description;
  description.mechanism = "xca_channel";
  channels.attention =
      std::make_shared<DenseMap>(description, MatrixStack(std::vector<Matrix>{Matrix::Ones(3, 3)}));
  inspection->layers.push_back(channels);
  AnalysisInput input;
  for (std::size_t i = 0; i < 3; ++i) input.layers.push_back({"model", {}, inspection, i, {}});
  const auto results = SinksAnalysis::compute(input, {}, Progress());
  EXPECT_NE(results[2].obstacle.find("channels"), std::string::npos);
  const Table table = SinksAnalysis::table(results);
  ASSERT_EQ(table.rows.size(), 4u);
  const auto text = [&](std::size_t row, std::size_t column) {
    return std::get<std::string>(table.rows[row][column]);
  };
  const auto number = [&](std::size_t row, std::size_t column) {
    return std::get<double>(table.rows[row][column]);
  };
  EXPECT_EQ(text(0, 8), "class token");
  EXPECT_NEAR(number(0, 5), 0.5, 1e-6);
  EXPECT_NEAR(number(0, 6), 2.5, 1e-6);
  EXPECT_NEAR(number(0, 12), 0.125, 1e-6);
  EXPECT_EQ(text(2, 8), "patch (1, 1)");
  EXPECT_EQ(table.rows[2][9], Table::Cell(std::int64_t{1}));
  EXPECT_EQ(table.rows[0][9], Table::Cell());
  // Every head that is not a sink has a fifth for each key.
  EXPECT_NEAR(number(1, 5), 0.2, 1e-6);
  const std::vector<SinkCount> counts = countSinks(results, {});
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts[0].heads, 4);
  EXPECT_EQ(counts[0].sinks, 2);
  EXPECT_EQ(counts[0].prefixSinks, 1);
  EXPECT_EQ(countSinks(results, {.least = 60})[0].sinks, 1);
  EXPECT_EQ(countSinks(results, {.least = 0})[0].sinks, 4);
  EXPECT_EQ(strongestSink(results)->layer, 1u);
  EXPECT_NE(table.sentence.find("share of the attention is 0.35 in the median of 4 heads (0.2 to "
                                "0.75)"),
            std::string::npos)
      << table.sentence;
}

}  // namespace
}  // namespace softscope
