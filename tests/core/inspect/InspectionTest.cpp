#include "core/inspect/Inspection.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

TEST(TopPredictions, AreTheSoftmaxOfTheLogits) {
  const auto predictions = topPredictions({1.0f, 3.0f, 2.0f}, 2);
  ASSERT_EQ(predictions.size(), 2u);
  const double sum = std::exp(1.0) + std::exp(3.0) + std::exp(2.0);
  EXPECT_EQ(predictions[0].classIndex, 1);
  EXPECT_NEAR(predictions[0].probability, std::exp(3.0) / sum, 1e-6);
  EXPECT_EQ(predictions[1].classIndex, 2);
  EXPECT_NEAR(predictions[1].probability, std::exp(2.0) / sum, 1e-6);
}

TEST(TopPredictions, SurviveLargeLogitsAndFewClasses) {
  const auto predictions = topPredictions({1000.0f, -1000.0f}, 5);
  ASSERT_EQ(predictions.size(), 2u);
  EXPECT_FLOAT_EQ(predictions[0].probability, 1.0f);
  EXPECT_TRUE(topPredictions({}, 5).empty());
}

TEST(PredictedClass, IsThatOfTheLargestLogitUnlessOneIsNaN) {
  EXPECT_EQ(predictedClass({1, 3, 2}), 1);
  EXPECT_EQ(predictedClass({}), std::nullopt);
  EXPECT_EQ(predictedClass({1, std::nanf(""), 2}), std::nullopt);
}

}  // namespace
}  // namespace softscope
