#include "core/Error.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/StencilMap.h"
#include "core/attention/SumMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomStack;
using test::relativeDifference;

AttentionDescription onRectangle() {
  AttentionDescription description;
  description.mechanism = "soft";
  description.queryGrid = description.keyGrid = TokenGrid{5, 7};
  description.landmarks = 6;
  return description;
}

class SumMapTest : public ::testing::Test {
 protected:
  SumMapTest() {
    const MatrixStack left = randomStack(2, 35, 6, 3);
    attention_ = std::make_shared<FactoredMap>(onRectangle(), left, randomStack(2, 6, 6, 5), left);
    convolution_ = std::make_shared<StencilMap>(onRectangle(), randomStack(2, 3, 3, 7));
    expected_ = attention_->whole(1, 1 << 20).cast<double>() +
                convolution_->whole(1, 1 << 20).cast<double>();
  }

  std::shared_ptr<const FactoredMap> attention_;
  std::shared_ptr<const StencilMap> convolution_;
  Eigen::MatrixXd expected_;
};

TEST_F(SumMapTest, EveryAnswerIsTheSum) {
  const SumMap map(attention_, convolution_);
  EXPECT_EQ(map.description().landmarks, 6) << "described as the first is";
  EXPECT_EQ(map.bytes(), attention_->bytes() + convolution_->bytes());
  EXPECT_LT(relativeDifference(map.whole(1, 1 << 20), expected_), 1e-6);
  for (int i = 0; i < 35; ++i) {
    EXPECT_LT(relativeDifference(map.row(1, i), expected_.row(i).transpose()), 1e-6);
    EXPECT_LT(relativeDifference(map.column(1, i), expected_.col(i)), 1e-6);
  }
  EXPECT_LT(relativeDifference(map.block(1, 4, 2, 9, 30), expected_.block(4, 2, 9, 30)), 1e-6);
  EXPECT_LT(relativeDifference(map.averaged(1, map.wholePart(), 6, 6),
                               averagedOverAreas(expected_, 6, 6)),
            1e-6);
  EXPECT_LT(relativeDifference(map.averaged(1, {3, 1, 20, 33}, 5, 8),
                               averagedOverAreas(expected_.block(3, 1, 20, 33), 5, 8)),
            1e-6);
}

TEST_F(SumMapTest, WhatIsNotAsLargeHasNoSum) {
  EXPECT_THROW(
      SumMap(attention_, std::make_shared<DenseMap>(onRectangle(), randomStack(2, 35, 34, 1))),
      InspectionError);
  EXPECT_THROW(
      SumMap(attention_, std::make_shared<StencilMap>(onRectangle(), randomStack(3, 3, 3, 1))),
      InspectionError);
}

TEST(SumMapColumns, AreReadyWhenBothTermsAre) {
  AttentionDescription description;
  description.queryGrid = description.keyGrid = TokenGrid{36, 36};
  const MatrixStack tokens = randomStack(2, 36 * 36, 16, 3);
  const auto stencil = std::make_shared<StencilMap>(description, randomStack(2, 3, 3, 1));
  for (const bool first : {true, false}) {
    const auto slow =
        std::make_shared<KernelMap>(description, KernelMap::Kernel::Softmax, tokens, tokens, 0.5);
    const SumMap map(first ? SumMap::Term(slow) : SumMap::Term(stencil),
                     first ? SumMap::Term(stencil) : SumMap::Term(slow));
    EXPECT_FALSE(map.columnsReady());
    map.prepareColumns({});
    EXPECT_TRUE(map.columnsReady());
    EXPECT_TRUE(slow->columnsReady());
  }
}

}  // namespace
}  // namespace softscope
