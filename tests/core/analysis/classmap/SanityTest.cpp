#include "core/analysis/classmap/Sanity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace softscope {
namespace {

Vector vectorWith(const std::vector<float>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

TEST(RankCorrelation, IsSpearmans) {
  const Vector first = vectorWith({1, 5, 3, 100});
  EXPECT_NEAR(*rankCorrelation(first, vectorWith({0, 2, 1, 3})), 1, 1e-12);
  EXPECT_NEAR(*rankCorrelation(first, vectorWith({9, -1, 2, -7})), -1, 1e-12);
  // Ranks differ by 1, 0, 1, 0.
  EXPECT_NEAR(*rankCorrelation(first, vectorWith({2, 3, 1, 4})), 1 - 6.0 * 2 / (4 * 15), 1e-12);
}

TEST(RankCorrelation, EqualValuesShareTheirRank) {
  // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(*rankCorrelation(vectorWith({1, 2, 2, 3}), vectorWith({1, 2, 3, 4})),
              4.5 / std::sqrt(4.5 * 5), 1e-12);
}

TEST(RankCorrelation, NeedsSeveralValuesOnBothSides) {
  EXPECT_FALSE(rankCorrelation(vectorWith({1, 1}), vectorWith({1, 2})));
  EXPECT_FALSE(rankCorrelation(vectorWith({1}), vectorWith({1})));
  EXPECT_FALSE(rankCorrelation(vectorWith({1, 2}), vectorWith({1, 2, 3})));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(rankCorrelation(vectorWith({1, nan}), vectorWith({1, 2})));
}

TEST(SanityCurves, CompareEveryMapThatBothHave) {
  const auto maps = [](const std::vector<float>& values) {
    return ClassMaps{
        .maps = {{.method = ClassMethod::GradCam, .grid = {1, 3}, .patches = vectorWith(values)},
                 {.method = ClassMethod::LeGrad, .obstacle = "none"}}};
  };
  const std::vector<SanityCurve> curves =
      sanityCurves(maps({1, 2, 3}), {maps({1, 2, 4}), maps({-3, 2, -1}), {}});
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].method, ClassMethod::GradCam);
  EXPECT_NEAR(*curves[0].correlation[0], 1, 1e-12);
  EXPECT_NEAR(*curves[0].correlation[1], 0.5, 1e-12);
  EXPECT_NEAR(*curves[0].magnitudeCorrelation[1], -1, 1e-12);
  EXPECT_FALSE(curves[0].correlation[2]);
  const ModelSanity of{
      .model = "vit", .classIndex = 2, .parts = {"head", "b", "c"}, .curves = curves};
  EXPECT_EQ(csvText(sanityTable({of})),
            "model,class,method,step,randomised,rank_correlation,magnitude_rank_correlation\n"
            "vit,2,grad_cam,1,head,1,1\n"
            "vit,2,grad_cam,2,b,0.5,-1\n"
            "vit,2,grad_cam,3,c,,\n");
  EXPECT_EQ(sanityTable({of}).sentence,
            "No rank correlation is defined once all weights are drawn anew.");
}

}  // namespace
}  // namespace softscope
