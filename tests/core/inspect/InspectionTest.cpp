#include "core/inspect/Inspection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

TEST(LinkedLayer, SameNameElseTheSameDepth) {
  const std::vector<std::string> four{"a", "b", "c", "d"};
  EXPECT_EQ(linkedLayer(four, "c", {"x", "c", "y"}), "c");
  EXPECT_EQ(linkedLayer(four, "a", {"x", "y"}), "x");
  EXPECT_EQ(linkedLayer(four, "d", {"x", "y"}), "y");
  const std::vector<std::string> eight{"0", "1", "2", "3", "4", "5", "6", "7"};
  EXPECT_EQ(linkedLayer(four, "c", eight), "5");
  EXPECT_EQ(linkedLayer(eight, "4", four), "c");
  EXPECT_EQ(linkedLayer({}, "", four), "a") << "a model without attention is as deep as none";
}

}  // namespace

namespace {

TEST(TopPredictions, AreTheSoftmaxOfTheLogits) {
  const auto predictions = topPredictions({1.0f, 3.0f, 2.0f}, 2);
  ASSERT_EQ(predictions.size(), 2u);
  const double sum = std::exp(1.0) + std::exp(3.0) + std::exp(2.0);
  EXPECT_EQ(predictions[0].classIndex, 1);
  EXPECT_NEAR(predictions[0].probability.value(), std::exp(3.0) / sum, 1e-6);
  EXPECT_EQ(predictions[1].classIndex, 2);
  EXPECT_NEAR(predictions[1].probability.value(), std::exp(2.0) / sum, 1e-6);
}

TEST(TopPredictions, SurviveLargeLogitsAndFewClasses) {
  const auto predictions = topPredictions({1000.0f, -1000.0f}, 5);
  ASSERT_EQ(predictions.size(), 2u);
  EXPECT_FLOAT_EQ(predictions[0].probability.value(), 1.0f);
  EXPECT_TRUE(topPredictions({}, 5).empty());
}

TEST(PredictedClass, IsThatOfTheLargestLogitUnlessOneIsNaN) {
  EXPECT_EQ(predictedClass({1, 3, 2}), 1);
  EXPECT_EQ(predictedClass({}), std::nullopt);
  EXPECT_EQ(predictedClass({1, std::nanf(""), 2}), std::nullopt);
}

TEST(Inspection, TokensCoverTheInputOrWhatTheNetworkSawOfIt) {
  Inspection inspection{.inputHeight = 32, .inputWidth = 64};
  EXPECT_EQ(inspection.covered(), (PictureRegion{0, 0, 64, 32}));
  inspection.seen = PictureRegion{-4, -2, 72, 36};
  EXPECT_EQ(inspection.covered(), (PictureRegion{-4, -2, 72, 36}));
}

TEST(TopPredictions, AreNoneWhereTheSoftmaxIsNotDefined) {
  const float infinite = std::numeric_limits<float>::infinity();
  // A softmax over one class says nothing of the picture.
  const auto only = topPredictions({0.157F}, 5);
  ASSERT_EQ(only.size(), 1u);
  EXPECT_FALSE(only[0].probability.has_value());
  EXPECT_FLOAT_EQ(only[0].logit, 0.157F);
  EXPECT_TRUE(topPredictions({1, std::nanf(""), 2, std::nanf(""), 0}, 3).empty());
  EXPECT_TRUE(topPredictions({1, infinite}, 2).empty());
  EXPECT_TRUE(topPredictions({-infinite, -infinite}, 2).empty());
  const auto masked = topPredictions({-infinite, 2, 2}, 3);
  ASSERT_EQ(masked.size(), 3u);
  EXPECT_FLOAT_EQ(masked[0].probability.value(), 0.5F);
  EXPECT_EQ(masked[2].classIndex, 0);
  EXPECT_EQ(masked[2].probability.value(), 0);
}

}  // namespace
}  // namespace softscope
