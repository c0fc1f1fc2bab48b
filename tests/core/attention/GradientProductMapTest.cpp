#include "core/Error.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/GradientProductMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomStack;
using test::relativeDifference;

constexpr int gradientQueries = 12;
constexpr int gradientKeys = 35;

class GradientProductMapTest : public ::testing::Test {
 protected:
  GradientProductMapTest()
      : gradient_(randomStack(2, gradientQueries, 4, 11)),
        value_(randomStack(2, gradientKeys, 4, 13)) {
    AttentionDescription description;
    description.mechanism = "sima";
    description.keyGrid = TokenGrid{5, 7};
    attention_ =
        std::make_shared<FactoredMap>(description, randomStack(2, gradientQueries, 6, 3),
                                      randomStack(2, 6, 6, 5), randomStack(2, gradientKeys, 6, 7));
    const Eigen::MatrixXd g = gradient_[1].cast<double>();
    const Eigen::MatrixXd v = value_[1].cast<double>();
    expected_ = attention_->whole(1, 1 << 20)
                    .cast<double>()
                    .cwiseProduct(Eigen::MatrixXd(g * v.transpose()));
  }
  MatrixStack gradient_;
  MatrixStack value_;
  std::shared_ptr<const FactoredMap> attention_;
  Eigen::MatrixXd expected_;
};

TEST_F(GradientProductMapTest, EveryAnswerIsTheProductEntryByEntry) {
  const GradientProductMap map(attention_, gradient_, value_, {{.classIndex = 3}, "dog"});
  EXPECT_EQ(map.description().keyGrid, (TokenGrid{5, 7})) << "described as the attention is";
  EXPECT_EQ(map.logit().asked, (LogitRequest{.classIndex = 3}));
  EXPECT_EQ(map.bytes(), attention_->bytes() + gradient_.bytes() + value_.bytes());
  EXPECT_LT(relativeDifference(map.whole(1, 1 << 20), expected_), 1e-6);
  for (int i = 0; i < gradientQueries; ++i) {
    EXPECT_LT(relativeDifference(map.row(1, i), expected_.row(i).transpose()), 1e-6);
  }
  for (int j = 0; j < gradientKeys; ++j) {
    EXPECT_LT(relativeDifference(map.column(1, j), expected_.col(j)), 1e-6);
  }
  EXPECT_LT(relativeDifference(map.block(1, 4, 2, 8, 30), expected_.block(4, 2, 8, 30)), 1e-6);
  EXPECT_LT(relativeDifference(map.averaged(1, map.wholePart(), 6, 6),
                               averagedOverAreas(expected_, 6, 6)),
            1e-6);
}

TEST_F(GradientProductMapTest, WhatIsOfOtherSizesOrOutsideIsRefused) {
  const GradientProductMap::Logit logit{{.classIndex = 3}, "dog"};
  EXPECT_THROW(GradientProductMap(attention_, value_, value_, logit), InspectionError);
  EXPECT_THROW(GradientProductMap(attention_, gradient_, gradient_, logit), InspectionError);
  EXPECT_THROW(GradientProductMap(attention_, gradient_, randomStack(2, gradientKeys, 5, 1), logit),
               InspectionError)
      << "another width";
  EXPECT_THROW(GradientProductMap(attention_, gradient_, randomStack(1, gradientKeys, 4, 1), logit),
               InspectionError)
      << "fewer heads";
  const GradientProductMap map(attention_, gradient_, value_, logit);
  EXPECT_THROW(map.row(2, 0), InspectionError);
  EXPECT_THROW(map.row(0, gradientQueries), InspectionError);
  EXPECT_THROW(map.column(0, gradientKeys), InspectionError);
}

}  // namespace
}  // namespace softscope
