#include "core/analysis/Share.h"
#include "core/analysis/ShareAnalysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

namespace softscope {
namespace {

TEST(Knockout, IsTheDistanceOfTheLogits) {
  const Knockout knockout = compareLogits({3, 4, 0}, {3, 2, 2.5f});
  EXPECT_DOUBLE_EQ(knockout.logitChange, std::sqrt(2 * 2 + 2.5 * 2.5));
  EXPECT_DOUBLE_EQ(knockout.relativeChange, knockout.logitChange / 5);
  EXPECT_EQ(knockout.predictedClass, 0);
}

TEST(Knockout, ThatChangesNothingIsZeroEvenWithoutLogits) {
  const Knockout knockout = compareLogits({0, 0}, {0, 0});
  EXPECT_EQ(knockout.logitChange, 0);
  EXPECT_EQ(knockout.relativeChange, 0);
  EXPECT_EQ(knockout.predictedClass, 0);
}

TEST(Shares, AreRatiosWhereThereIsSomethingToCompareWith) {
  HeadShare head{.attentionNorm = 2, .besideNorm = 8, .projectedNorm = 3, .knockout = {}};
  const LayerShare layer{"a", "soft", {head}, head, 6, 7};
  EXPECT_DOUBLE_EQ(head.besideShare().value(), 0.25);
  EXPECT_DOUBLE_EQ(layer.residualShare(head).value(), 0.5);
  head.besideNorm = 0;
  EXPECT_TRUE(std::isinf(head.besideShare().value()));
  head.attentionNorm = 0;
  EXPECT_FALSE(head.besideShare()) << "nothing beside nothing";
  head.besideNorm.reset();
  EXPECT_FALSE(head.besideShare());
}

TEST(Shares, KnowTheClass) {
  ModelShare share;
  EXPECT_FALSE(share.predictedClass());
  share.logits = {1, 7, 7, 2};
  EXPECT_EQ(share.predictedClass(), 1);
}

TEST(Knockout, PredictsNoClassIfALogitIsNaN) {
  const Knockout knockout = compareLogits({1, 2}, {std::nanf(""), 3});
  EXPECT_TRUE(std::isnan(knockout.logitChange));
  EXPECT_FALSE(knockout.predictedClass);

  HeadShare head;
  head.knockout = knockout;
  const ModelShare share{.layers = {{"a", "soft", {head}, head, 1, 1}}, .logits = {1, 2}};
  const Table table = shareTable({{"model", "", {}, std::make_shared<const ModelShare>(share)}});
  const auto column = std::ranges::find(table.columns, "knockout_class") - table.columns.begin();
  for (const auto& row : table.rows) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(row[static_cast<std::size_t>(column)]));
    EXPECT_EQ(row.back(), Table::Cell(std::int64_t{1})) << "of the untouched network";
  }
}

}  // namespace
}  // namespace softscope
