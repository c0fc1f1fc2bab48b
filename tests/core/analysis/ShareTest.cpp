#include "core/analysis/Share.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace softscope
