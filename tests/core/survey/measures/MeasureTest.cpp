#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/survey/measures/Measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <set>
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

}  // namespace
}  // namespace softscope
