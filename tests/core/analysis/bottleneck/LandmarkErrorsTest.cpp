#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace softscope {
namespace {

using test::randomStack;

constexpr int approximatedTokens = 30;
constexpr int approximatingLandmarks = 4;

std::shared_ptr<const KernelMap> randomKernel(KernelMap::Kernel kernel, int tokens) {
  const MatrixStack query = randomStack(2, tokens, 3, 1);
  const MatrixStack key =
      kernel == KernelMap::Kernel::Gaussian ? query : randomStack(2, tokens, 3, 2);
  return std::make_shared<KernelMap>(AttentionDescription{.mechanism = "gaussian"}, kernel, query,
                                     key, 1);
}

TEST(RankBound, IsWhatSingularValuesBeyondTheRankLeave) {
  ExactKernels kernels;
  for (const auto kernel : {KernelMap::Kernel::Gaussian, KernelMap::Kernel::Softmax}) {
    const auto map = randomKernel(kernel, approximatedTokens);
    const std::vector<double> values = test::denseSingularValues(test::wholeMatrix(*map, 1));
    for (const int rank : {0, 1, 7, approximatedTokens, approximatedTokens + 5}) {
      double kept = 0;
      double all = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        all += values[i] * values[i];
        if (static_cast<int>(i) < rank) kept += values[i] * values[i];
      }
      const std::optional<double> bound = kernels.of(*map, 1).rankBound(rank);
      ASSERT_TRUE(bound);
      EXPECT_NEAR(*bound, std::sqrt(std::max(0.0, all - kept) / all), 1e-7) << rank;
    }
  }
}

TEST(RankBound, IsLeftOutWhereTheMatrixIsLarge) {
  const auto map = randomKernel(KernelMap::Kernel::Gaussian, 2049);
  const ExactKernelValues values = ExactKernels().of(*map, 0);
  EXPECT_FALSE(values.rankBound(4));
  EXPECT_EQ(values.smallestEntry, test::wholeMatrix(*map, 0).minCoeff())
      << "which is told all the same";
}

AnalysedLayer approximatingLayer() {
  const MatrixStack left = randomStack(2, approximatedTokens, approximatingLandmarks, 5);
  const MatrixStack middle = randomStack(2, approximatingLandmarks, approximatingLandmarks, 6);
  LayerInspection layer;
  layer.name = "block1.0.attn";
  layer.attention = std::make_shared<FactoredMap>(
      AttentionDescription{.mechanism = "soft", .landmarks = approximatingLandmarks}, left, middle,
      left);
  for (int head = 0; head < 2; ++head) layer.bottleneck.emplace_back(middle[head]);
  layer.bottleneckInverse = layer.bottleneck;
  layer.exactKernel = randomKernel(KernelMap::Kernel::Gaussian, approximatedTokens);
  LayerInspection softmax;
  softmax.name = "block2.0.attn";
  softmax.attention = randomKernel(KernelMap::Kernel::Softmax, approximatedTokens);
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {layer, softmax};
  return {"net", {}, inspection, 0, {}};
}

TEST(LandmarkTable, HasARowForEachHeadThatApproximates) {
  const AnalysedLayer soft = approximatingLayer();
  AnalysedLayer softmax = soft;
  softmax.index = 1;
  ExactKernels kernels;
  const Table table = landmarkTable(measureLandmarks({soft, softmax}, {}, {}, kernels));
  EXPECT_EQ(csvText(table).substr(0, csvText(table).find('\n')),
            "model,layer,head,landmarks,count,relative_error,rank_bound,rescaled_error,"
            "exact_relative_error,exact_rescaled_error,tokens,smallest_entry,"
            "largest_singular_value");
  ASSERT_EQ(table.rows.size(), 2u);
  for (int head = 0; head < 2; ++head) {
    const auto& row = table.rows[static_cast<std::size_t>(head)];
    const Eigen::MatrixXd exact = test::wholeMatrix(*soft.layer().exactKernel, head);
    const Eigen::MatrixXd form = test::wholeMatrix(*soft.layer().attention, head);
    EXPECT_EQ(std::get<std::string>(row[1]), "block1.0.attn");
    EXPECT_EQ(std::get<std::int64_t>(row[2]), head);
    EXPECT_EQ(std::get<std::string>(row[3]), "trained");
    EXPECT_EQ(std::get<std::int64_t>(row[4]), approximatingLandmarks);
    EXPECT_NEAR(std::get<double>(row[5]) / ((form - exact).norm() / exact.norm()), 1, 1e-6);
    for (const std::size_t error : {5u, 7u, 8u, 9u}) {
      EXPECT_LT(std::get<double>(row[6]), std::get<double>(row[error])) << "no form is nearer";
    }
    EXPECT_LE(std::get<double>(row[7]), std::get<double>(row[5])) << "the best of all factors";
    EXPECT_EQ(std::get<std::int64_t>(row[10]), approximatedTokens);
    EXPECT_NEAR(std::get<double>(row[11]), exact.minCoeff(), 1e-7);
    EXPECT_NEAR(std::get<double>(row[12]), test::denseSingularValues(exact).front(), 1e-5);
  }
}

/// Returns the row of a choice of landmarks that errs by `error`.
LandmarkError errorOf(LandmarkSource source, int count, double error) {
  LandmarkError of{{approximatingLayer(), 0, {}, {}, {}, {.source = source}}, {}};
  const MatrixStack left = randomStack(1, approximatedTokens, count, 7);
  for (const auto middle : {NystromForm::Middle::Released, NystromForm::Middle::Exact}) {
    of.approximation.forms.push_back({.middle = middle});
    of.approximation.forms.back().map = std::make_shared<FactoredMap>(
        AttentionDescription{.landmarks = count}, left, randomStack(1, count, count, 8), left);
    of.approximation.errors.push_back({.relativeFrobenius = error});
  }
  return of;
}

TEST(LandmarkTable, ComparesChoicesOfAsManyLandmarks) {
  using enum LandmarkSource;
  const LandmarkError trained = errorOf(Trained, 9, 0.5);
  EXPECT_EQ(landmarkTable({trained, errorOf(Pooled, 9, 0.25)}).sentence,
            "The relative error of pooled is 0.5 of that of trained.");
  EXPECT_EQ(
      landmarkTable({trained, errorOf(Pooled, 4, 0.75), errorOf(Pooled, 9, 0.25),
                     errorOf(Random, 4, 0.875), errorOf(Random, 9, 0.625)})
          .sentence,
      "The relative error with as many landmarks as trained: trained 0.5; pooled 0.25; random "
      "0.625.");
  EXPECT_EQ(landmarkTable({trained, errorOf(Pooled, 4, 0.75), errorOf(Pooled, 16, 0.125)}).sentence,
            "The relative error: 9 trained 0.5; 4 pooled 0.75; 16 pooled 0.125.");
}

}  // namespace
}  // namespace softscope
