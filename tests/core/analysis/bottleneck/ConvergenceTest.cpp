#include "core/Error.h"
#include "core/analysis/bottleneck/Convergence.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/PseudoInverse.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace softscope {
namespace {

using test::denseSpectralNorm;
using test::randomMatrix;
using test::randomStack;

/// SOFT's bottleneck matrix for random landmarks, the nearer together the smaller `spread`.
Matrix gaussianKernel(int landmarks, float spread, unsigned seed) {
  const Matrix tokens = spread * randomMatrix(landmarks, 4, seed);
  Matrix kernel(landmarks, landmarks);
  for (int i = 0; i < landmarks; ++i) {
    for (int j = 0; j < landmarks; ++j) {
      kernel(i, j) = std::exp(-0.5f * (tokens.row(i) - tokens.row(j)).squaredNorm());
    }
  }
  return kernel;
}

LayerInspection convergingLayer(const std::string& mechanism, const std::vector<Matrix>& kernels) {
  return {.name = "layer",
          .attention = std::make_shared<FactoredMap>(AttentionDescription{.mechanism = mechanism},
                                                     randomStack(2, 20, 4, 1), MatrixStack(),
                                                     randomStack(2, 20, 4, 2)),
          .bottleneck = kernels,
          .bottleneckInverse = kernels};
}

/// The iteration by its eigenvalues: V and B are diagonal in A's eigenvectors, so that each
/// eigenvalue v of V goes its own way.
struct EigenvalueIteration {
  Eigen::ArrayXd b;
  Eigen::ArrayXd v;

  void step() { v = 2 * v - v * b * v; }
  double residual() const { return (b * v * b - b).abs().maxCoeff() / b.abs().maxCoeff(); }
};

EigenvalueIteration iterationOf(const Matrix& kernel, double damping, double scale) {
  const std::vector<double> values = test::denseSingularValues(kernel.cast<double>());
  EigenvalueIteration iteration;
  iteration.b = Eigen::Map<const Eigen::ArrayXd>(values.data(), kernel.rows()) + damping;
  iteration.v = scale * iteration.b;
  return iteration;
}

double largestRowSum(const Matrix& kernel) {
  return kernel.cast<double>().rowwise().sum().maxCoeff();
}

TEST(Convergence, OfSoftIsThatOfItsEigenvalues) {
  const std::vector<Matrix> kernels{gaussianKernel(20, 0.7f, 1), gaussianKernel(20, 1.5f, 2)};
  const auto curves = convergence(convergingLayer("soft", kernels),
                                  {.scheme = InverseScheme::Soft, .iterations = 20});
  ASSERT_EQ(curves.size(), 2u);
  for (std::size_t head = 0; head < 2; ++head) {
    const double scale = 1.8 / std::pow(largestRowSum(kernels[head]), 2);
    EigenvalueIteration expected = iterationOf(kernels[head], 0.01, scale);
    ASSERT_EQ(curves[head].residual.size(), 21u);
    for (std::size_t k = 0; k <= 20; ++k) {
      EXPECT_NEAR(curves[head].residual[k], expected.residual(), 1e-9) << "step " << k;
      const Eigen::ArrayXd raw = expected.b - 0.01;
      EXPECT_NEAR(curves[head].residualRaw[k],
                  (raw * expected.v * raw - raw).abs().maxCoeff() / raw.maxCoeff(), 1e-6);
      EXPECT_NEAR(
          curves[head].inverseDistance[k],
          (expected.v - expected.b.inverse()).abs().maxCoeff() / expected.b.inverse().maxCoeff(),
          1e-6);
      EXPECT_NEAR(curves[head].reflexiveResidual[k],
                  (expected.v * expected.b * expected.v - expected.v).abs().maxCoeff() /
                      expected.v.abs().maxCoeff(),
                  1e-6);
      expected.step();
    }
  }
}

TEST(Convergence, OfSoftPlusPlusSharesItsStartAmongHeads) {
  const std::vector<Matrix> kernels{gaussianKernel(16, 0.4f, 1), gaussianKernel(16, 2.0f, 2)};
  double scale = 2 / std::pow(std::max(largestRowSum(kernels[0]), largestRowSum(kernels[1])), 2);
  const auto worst = [&] {
    double largest = 0;
    for (const Matrix& kernel : kernels) {
      const Eigen::MatrixXd a = kernel.cast<double>();
      const Eigen::MatrixXd error = Eigen::MatrixXd::Identity(16, 16) - scale * a * a;
      largest = std::max(largest, error.cwiseAbs().colwise().sum().maxCoeff());
    }
    return largest;
  };
  int halvings = 0;
  for (; worst() > 1.01 && halvings < 10; ++halvings) scale /= 2;
  EXPECT_GT(halvings, 2);
  const auto curves =
      convergence(convergingLayer("soft++", kernels), {.scheme = InverseScheme::SoftNorm});
  for (std::size_t head = 0; head < 2; ++head) {
    EXPECT_EQ(curves[head].halvings, halvings);
    EigenvalueIteration expected = iterationOf(kernels[head], 0, scale);
    for (std::size_t k = 0; k <= 20; ++k) {
      EXPECT_NEAR(curves[head].residual[k], expected.residual(), 1e-9) << "step " << k;
      EXPECT_EQ(curves[head].residual[k], curves[head].residualRaw[k]);
      expected.step();
    }
  }
}

TEST(Convergence, OfTheoremAndBacktrackingStartsFromTheColumnSums) {
  // Dominated by its diagonal, so that the bound can be met.
  const Matrix kernel = gaussianKernel(16, 4.0f, 3);
  const LayerInspection layer = convergingLayer("soft", {kernel});
  double scale = 2 / std::pow(largestRowSum(kernel), 2);
  const auto theorem = convergence(layer, {.scheme = InverseScheme::Theorem});
  EXPECT_NEAR(theorem[0].residual[0], iterationOf(kernel, 0, scale).residual(), 1e-9);

  const Eigen::MatrixXd a = kernel.cast<double>();
  int halvings = 0;
  while ((Eigen::MatrixXd::Identity(16, 16) - scale * a * a).cwiseAbs().colwise().sum().maxCoeff() >
         1) {
    scale /= 2;
    ++halvings;
  }
  const auto backtracking = convergence(layer, {.scheme = InverseScheme::Backtracking});
  EXPECT_TRUE(backtracking[0].boundMet);
  EXPECT_EQ(backtracking[0].halvings, halvings);
  EXPECT_NEAR(backtracking[0].residual[0], iterationOf(kernel, 0, scale).residual(), 1e-9);

  double printedScale = 2 / std::pow(largestRowSum(kernel), 2);
  while (
      (Eigen::MatrixXd::Identity(16, 16) - printedScale * a).cwiseAbs().colwise().sum().maxCoeff() >
      1) {
    printedScale /= 2;
  }
  const auto printed = convergence(layer, {.scheme = InverseScheme::PrintedBacktracking});
  EXPECT_NEAR(printed[0].residual[0], iterationOf(kernel, 0, printedScale).residual(), 1e-9);

  const auto hopeless = convergence(convergingLayer("soft", {gaussianKernel(16, 0.3f, 3)}),
                                    {.scheme = InverseScheme::Backtracking});
  EXPECT_FALSE(hopeless[0].boundMet);
  EXPECT_EQ(hopeless[0].halvings, 10);
}

TEST(Convergence, OfNystromformerIsCubicAndTakesMatricesThatAreNotSymmetric) {
  Matrix kernel = randomMatrix(12, 12, 4).array().exp();
  const Vector rowSums = kernel.rowwise().sum();
  kernel = rowSums.cwiseInverse().asDiagonal() * kernel;
  const auto curves = convergence(convergingLayer("nystromformer", {kernel}),
                                  {.scheme = InverseScheme::Nystromformer, .iterations = 6});
  const Eigen::MatrixXd a = kernel.cast<double>();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(12, 12);
  Eigen::MatrixXd z = a.transpose() / a.colwise().sum().maxCoeff();
  for (std::size_t k = 0; k <= 6; ++k) {
    EXPECT_NEAR(curves[0].residual[k], denseSpectralNorm(a * z * a - a) / denseSpectralNorm(a),
                1e-6);
    EXPECT_NEAR(
        curves[0].inverseDistance[k],
        denseSpectralNorm(z - test::denseInverse(a)) / denseSpectralNorm(test::denseInverse(a)),
        1e-6);
    EXPECT_NEAR(curves[0].reflexiveResidual[k],
                denseSpectralNorm(z * a * z - z) / denseSpectralNorm(z), 1e-6);
    z = (z / 4 * (13 * identity - a * z * (15 * identity - a * z * (7 * identity - a * z)))).eval();
  }
}

/// Proposition 2 of SOFT++, by A's eigenvalues l alone: |A V_k A - A| is the largest
/// l (1 - a l^2)^(2^k), and |V_k - pinv(A)| the largest (1 - a l^2)^(2^k) / l.
TEST(Convergence, OfATheoremsStartFallsInBothQuantitiesAsItsEigenvaluesSay) {
  const Matrix kernel = gaussianKernel(18, 1.2f, 8);
  const auto curves = convergence(convergingLayer("soft++", {kernel}),
                                  {.scheme = InverseScheme::Theorem, .iterations = 24})[0];
  const std::vector<double> values = test::denseSingularValues(kernel.cast<double>());
  const double scale = 2 / std::pow(largestRowSum(kernel), 2);
  for (std::size_t k = 0; k <= 24; ++k) {
    double residual = 0;
    double distance = 0;
    for (const double value : values) {
      const double left = std::pow(1 - scale * value * value, std::pow(2.0, double(k)));
      residual = std::max(residual, std::abs(value * left));
      distance = std::max(distance, std::abs(left / value));
    }
    EXPECT_NEAR(curves.residual[k], residual / values.front(), 1e-9) << k;
    EXPECT_NEAR(curves.inverseDistance[k], distance * values.back(), 1e-7) << k;
  }
  EXPECT_TRUE(fallsToItsFloor(curves.residual));
  EXPECT_TRUE(fallsToItsFloor(curves.inverseDistance));
  EXPECT_LT(curves.inverseDistance.back(), 1e-6);
}

TEST(Convergence, InFloat32HasAHigherFloor) {
  const LayerInspection layer = convergingLayer("soft", {gaussianKernel(20, 1.5f, 2)});
  const auto exact = convergence(layer, {.scheme = InverseScheme::Soft, .iterations = 30});
  const auto single = convergence(
      layer, {.scheme = InverseScheme::Soft, .iterations = 30, .singlePrecision = true});
  EXPECT_NEAR(single[0].residual[5], exact[0].residual[5], 1e-5);
  EXPECT_LT(exact[0].residual.back(), 1e-12);
  EXPECT_LT(single[0].residual.back(), 1e-4);
  EXPECT_GT(single[0].residual.back(), 1e-9);
  EXPECT_TRUE(fallsToItsFloor(exact[0].residual));
  EXPECT_TRUE(fallsToItsFloor(single[0].residual));
}

TEST(Convergence, KnowsWhereACurveReachesAThresholdAndWhetherItFalls) {
  EXPECT_EQ(firstWithin({1, 0.1, 1e-3, 1e-6}), 2);
  EXPECT_EQ(firstWithin({1, 0.1, 0.01}), std::nullopt);
  EXPECT_TRUE(fallsToItsFloor({1, 0.5, 1e-9, 1.4e-9, 1.2e-9}));
  EXPECT_FALSE(fallsToItsFloor({1, 0.5, 0.6, 1e-9}));
  EXPECT_FALSE(fallsToItsFloor({1, 0.5, 0.6, 0.7})) << "0.5 is no floor";
  EXPECT_FALSE(fallsToItsFloor({1, 1, 1}));
  EXPECT_FALSE(fallsToItsFloor({0.5, 1, 2}));
  EXPECT_TRUE(fallsToItsFloor({1, 0.999999, 0.9, 0.2})) << "it need not arrive";
  EXPECT_TRUE(fallsToItsFloor({1e-15, 2e-15})) << "it begins at its floor";
  EXPECT_FALSE(fallsToItsFloor({1, std::numeric_limits<double>::infinity(), 1e-9}));
}

TEST(Convergence, RefusesWhatDoesNotFit) {
  EXPECT_THROW(convergence(convergingLayer("softmax", {}), {}), InspectionError);
  EXPECT_THROW(convergence(convergingLayer("nystromformer", {Matrix::Ones(3, 3)}),
                           {.scheme = InverseScheme::Theorem}),
               InspectionError);
  Progress progress;
  progress.cancel();
  EXPECT_THROW(convergence(convergingLayer("soft", {Matrix::Identity(3, 3)}), {}, progress),
               Cancelled);
}

TEST(PseudoInverse, DropsWhatIsUnderRcond) {
  const Eigen::MatrixXd any = randomMatrix(6, 6, 1).cast<double>();
  // A reflection: orthogonal, and no coordinate is spared.
  const Eigen::VectorXd direction = any.col(0).normalized();
  const Eigen::MatrixXd basis =
      Eigen::MatrixXd::Identity(6, 6) - 2 * direction * direction.transpose();
  Eigen::VectorXd values{{5, 2, 1, 1e-3, 1e-9, 0}};
  const Eigen::MatrixXd symmetric = basis * values.asDiagonal() * basis.transpose();
  const PseudoInverse inverse = pseudoInverse(symmetric, 1e-6);
  EXPECT_EQ(inverse.rank, 4);
  EXPECT_NEAR(inverse.condition, 5000, 1e-6);
  const Eigen::VectorXd expected{{0.2, 0.5, 1, 1000, 0, 0}};
  EXPECT_LT((inverse.matrix - basis * expected.asDiagonal() * basis.transpose()).norm(), 1e-6);
  EXPECT_EQ(pseudoInverse(symmetric, 1e-12).rank, 5);
  EXPECT_LT((pseudoInverse(any, 1e-12).matrix - test::denseInverse(any)).norm(), 1e-9);
}

}  // namespace
}  // namespace softscope
