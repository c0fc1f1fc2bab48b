#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/survey/measures/Measure.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <variant>

namespace softscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<std::string> measureNames(const std::vector<std::string>& asked) {
  std::vector<std::string> names;
  for (const Measure& measure : chosenMeasures(asked)) names.push_back(measure.name);
  return names;
}

TEST(Measure, HasANameThatIsAColumn) {
  std::set<std::string> seen;
  for (const Measure& measure : allMeasures()) {
    EXPECT_TRUE(seen.insert(measure.name).second) << measure.name;
    for (const char letter : measure.name) EXPECT_TRUE(std::islower(letter) || letter == '_');
    EXPECT_FALSE(measure.title.empty() || measure.source.empty()) << measure.name;
  }
}

TEST(Measure, IsChosenByNameGroupOrCost) {
  EXPECT_THAT(measureNames({"entropy", "line_score"}), ElementsAre("line_score", "entropy"));
  EXPECT_EQ(measureNames({"ablation"}).size(), 6U);
  EXPECT_THAT(measureNames({"ablation_correct"}), ElementsAre("ablation_correct"));
  EXPECT_THAT(measureNames({}), Not(Contains("ablation_correct")));
  EXPECT_THAT(measureNames({}), Contains("confidence"));
  EXPECT_EQ(measureNames({"all"}).size(), allMeasures().size());
  EXPECT_THROW(chosenMeasures({"entropie"}), InspectionError);
  EXPECT_THROW(chosenMeasures({""}), InspectionError);
}

TEST(Measure, CountsThePassesOfKnockouts) {
  const Measure knockout = chosenMeasures({"ablation_correct"}).front();
  EXPECT_FALSE(knockout.isCheap());
  // The untouched one, the layer of one head, and the other's heads and all of them.
  EXPECT_EQ(knockout.passes({{.name = "a", .heads = 1}, {.name = "b", .heads = 3}}), 1 + 1 + 3 + 1);
}

TEST(Measure, CountsThePassesOfOrdersAtRandom) {
  const auto passes = [](const MeasureOptions& options) {
    return chosenMeasures({"insertion_keys_rank"}, options).front().passes({});
  };
  // Nine steps between the whole and the empty picture, there and back, by four maps and chance.
  EXPECT_EQ(passes({}), 2 * 9 * (4 + 20) + 2);
  EXPECT_EQ(passes({.randomOrders = 3}), 2 * 9 * (4 + 3) + 2);
  EXPECT_EQ(measureNames({deletionGroup}).size(), 2U * 5 + 2U * 4);
  // Five class maps and rollout.
  for (const std::string group : {"class_deletion", "class_road"}) {
    EXPECT_EQ(measureNames({group}).size(), 2U * 7 + 2U * 6);
    const Measure measure = chosenMeasures({group}, {.randomOrders = 3}).front();
    EXPECT_EQ(measure.passes({}), 2 * 9 * (6 + 3) + 2);
    EXPECT_TRUE(usesRandomOrders(measure));
  }
  EXPECT_FALSE(usesRandomOrders(chosenMeasures({"confidence"}, {}).front()));
}

TEST(Measure, DistancesAreThoseOnWhatTheTokensCover) {
  const TokenGrid grid{1, 2};
  // Each of the two patches looks at the other.
  Matrix other = Matrix::Zero(2, 2);
  other(0, 1) = other(1, 0) = 1;
  auto inspection = std::make_shared<Inspection>(
      Inspection{.layers = {{.name = "layer",
                             .attention = std::make_shared<DenseMap>(
                                 AttentionDescription{.queryGrid = grid, .keyGrid = grid},
                                 MatrixStack({other}))}},
                 .inputHeight = 16,
                 .inputWidth = 28});
  const Measure measure = chosenMeasures({"attention_distance"}).front();
  const auto measured = [&] {
    const Progress progress;
    const ModelPass model({.inspection = inspection}, progress);
    const LayerPass layer{model, inspection->layers[0]};
    return std::get<Measure::OfHead>(measure.value)(HeadPass(layer, 0));
  };
  EXPECT_EQ(measured(), 14);
  inspection->seen = PictureRegion{-2, 0, 32, 16};
  EXPECT_EQ(measured(), 16);
}

TEST(Measure, KnowsNoPredictionWithoutAHeadIfALogitIsNaN) {
  auto inspection = std::make_shared<Inspection>(
      Inspection{.layers = {{.name = "layer",
                             .attention = std::make_shared<DenseMap>(
                                 AttentionDescription(), MatrixStack({Matrix::Ones(2, 2)}))}}});
  inspection->logits = {2, 1};
  const auto measured = [&](const std::string& name, const std::vector<float>& without) {
    HeadShare head;
    head.knockout = compareLogits({2, 1}, without);
    ModelPass::Parts parts{.model = std::make_shared<Model>(ModelSummary(), nullptr),
                           .input = std::make_shared<InputTensor>(),
                           .inspection = inspection,
                           .trueClass = 0};
    parts.engine.measureShare = [head](const Model&, const InputTensor&, const ShareRequest&,
                                       const Progress&) -> std::shared_ptr<const ModelShare> {
      return std::make_shared<const ModelShare>(
          ModelShare{.layers = {{"layer", "soft", {head}, head, 1, 1}}, .logits = {2, 1}});
    };
    const Progress progress;
    const ModelPass model(std::move(parts), progress);
    const LayerPass layer{model, inspection->layers[0]};
    return std::get<Measure::OfHead>(chosenMeasures({name}).front().value)(HeadPass(layer, 0));
  };
  EXPECT_EQ(measured("ablation_prediction_change", {1, 2}), 1);
  EXPECT_EQ(measured("ablation_correct", {2, 1}), 1);
  for (const char* name : {"ablation_prediction_change", "ablation_correct"}) {
    EXPECT_EQ(measured(name, {std::nanf(""), 2}), std::nullopt) << name;
  }
}

TEST(Measure, KnowsNoOutliersAmongTokensThatAreNotNumbers) {
  auto inspection = std::make_shared<Inspection>(
      Inspection{.layers = {{.name = "layer",
                             .attention = std::make_shared<DenseMap>(
                                 AttentionDescription(), MatrixStack({Matrix::Ones(4, 4)}))}}});
  const auto measured = [&](const std::string& name, const Matrix& tokens) {
    auto recorded = std::make_shared<TokenInspection>();
    recorded->layers.push_back({"layer", {2, 2}, tokens, tokens.rowwise().norm()});
    const Progress progress;
    const ModelPass model({.inspection = inspection, .tokens = recorded}, progress);
    const LayerPass layer{model, inspection->layers[0]};
    return std::get<Measure::OfLayer>(chosenMeasures({name}).front().value)(layer);
  };
  Matrix tokens = Matrix::Ones(4, 3);
  EXPECT_EQ(measured("token_outliers", tokens), 0);
  tokens.row(2) *= 10;
  EXPECT_EQ(measured("token_outliers", tokens), 0.25);
  tokens(1, 0) = std::nanf("");
  EXPECT_EQ(measured("token_outliers", tokens), std::nullopt);
}

TEST(Measure, WeightsOnSingleTokensAreTheSameWhereverTheseStand) {
  const TokenGrid grid{2, 3};
  const Matrix weights = test::randomMatrix(7, 7, 4);
  const auto measured = [&](const AttentionDescription& description, const Matrix& matrix) {
    auto inspection = std::make_shared<Inspection>();
    inspection->layers.push_back(
        {.name = "layer",
         .attention = std::make_shared<DenseMap>(description, MatrixStack({matrix}))});
    const Progress progress;
    const ModelPass model({.inspection = inspection}, progress);
    const LayerPass layer{model, inspection->layers[0]};
    const Measure measure = chosenMeasures({"prefix_weight"}).front();
    return std::get<Measure::OfHead>(measure.value)(HeadPass(layer, 0)).value();
  };
  const Eigen::ArrayXXd patches = weights.bottomRows(6).cast<double>().array().abs();
  const double expected = (patches.col(0) / patches.rowwise().sum()).mean();
  EXPECT_NEAR(measured({.queryGrid = grid, .keyGrid = grid, .prefixTokens = 1}, weights), expected,
              1e-9);
  EXPECT_NEAR(measured({.queryGrid = grid, .keyGrid = grid, .suffixTokens = 1},
                       test::withClassTokenLast(weights)),
              expected, 1e-9);
}

}  // namespace
}  // namespace softscope
