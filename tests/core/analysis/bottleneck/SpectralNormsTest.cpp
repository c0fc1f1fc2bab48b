#include "core/Error.h"
#include "core/analysis/bottleneck/SpectralNorms.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/linalg/PowerLaw.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace softscope {
namespace {

using test::denseSpectralNorm;
using test::randomMatrix;
using test::randomStack;

TEST(SpectralNorm, IsTheLargestSingularValue) {
  for (const auto& [rows, columns] : {std::pair{30, 30}, {7, 40}, {40, 7}, {260, 230}}) {
    const Eigen::MatrixXd matrix = 1e-20 * randomMatrix(rows, columns, 1).cast<double>();
    EXPECT_NEAR(spectralNorm(matrix) / denseSpectralNorm(matrix), 1, 1e-6);
  }
  EXPECT_EQ(spectralNorm(Eigen::MatrixXd::Zero(4, 4)), 0);
  EXPECT_TRUE(std::isinf(spectralNorm(Eigen::MatrixXd::Constant(4, 4, NAN))));
}

/// SOFT++'s released iteration of one head, in float32.
Eigen::MatrixXd softNormInverse(const Eigen::MatrixXd& kernel) {
  const Eigen::MatrixXf a = kernel.cast<float>();
  const float rowSum = a.cwiseAbs().rowwise().sum().maxCoeff();
  float scale = 2 / (rowSum * rowSum);
  const auto error = [&] {
    const Eigen::MatrixXf residual = Eigen::MatrixXf::Identity(a.rows(), a.cols()) - scale * a * a;
    return residual.cwiseAbs().colwise().sum().maxCoeff();
  };
  for (int halving = 0; halving < 10 && error() > 1.01f; ++halving) scale /= 2;
  Eigen::MatrixXf v = scale * a;
  for (int step = 0; step < 20; ++step) v = (2 * v - v * a * v).eval();
  return v.cast<double>();
}

TEST(SpectralNorms, AreThoseOfTheWholeMatrices) {
  const Matrix landmarks = randomMatrix(10, 3, 1);
  const Eigen::MatrixXd kernel =
      ((landmarks * landmarks.transpose()).array() * 0.3f).exp().cast<double>();
  const Matrix released = randomMatrix(10, 10, 2);
  for (const bool symmetric : {true, false}) {
    const MatrixStack left = randomStack(1, 80, 10, 3);
    const MatrixStack right = symmetric ? left : randomStack(1, 70, 10, 4);
    const LayerInspection layer{
        .attention = std::make_shared<FactoredMap>(AttentionDescription{.mechanism = "soft"}, left,
                                                   MatrixStack({released}), right),
        .bottleneck = {kernel.cast<float>()},
        .bottleneckInverse = {released}};
    const ReleasedAndExactNorms norms = spectralNorms(layer, 0);

    const Eigen::MatrixXd rounded = layer.bottleneck[0].cast<double>();
    const Eigen::MatrixXd l = left[0].cast<double>();
    const Eigen::MatrixXd r = right[0].cast<double>();
    const Eigen::MatrixXd d = Eigen::VectorXd(rounded.rowwise().sum().array().rsqrt()).asDiagonal();
    const auto expectPlain = [&](const SpectralNorms& actual, const Eigen::MatrixXd& v) {
      EXPECT_NEAR(actual.attention / denseSpectralNorm(l * v * r.transpose()), 1, 1e-6);
      EXPECT_NEAR(actual.inverse / denseSpectralNorm(v), 1, 1e-6);
      const std::vector<double> values = test::denseSingularValues(v);
      EXPECT_NEAR(actual.condition / (values.front() / values.back()), 1, 1e-4);
    };
    const auto expectNormalised = [&](const SpectralNorms& actual, const Eigen::MatrixXd& v) {
      EXPECT_NEAR(actual.attentionNormalised / denseSpectralNorm(l * d * v * d * r.transpose()), 1,
                  1e-6);
      EXPECT_NEAR(actual.inverseNormalised / denseSpectralNorm(d * v * d), 1, 1e-6);
    };
    expectPlain(norms.released, released.cast<double>());
    expectNormalised(norms.released, softNormInverse(rounded));
    expectPlain(norms.exact, test::denseInverse(rounded));
    expectNormalised(norms.exact, test::denseInverse(rounded));
    EXPECT_EQ(norms.rank, 10);
    EXPECT_LT(spectralNorms(layer, 0, 0.1).exact.condition, 10);
    EXPECT_LT(spectralNorms(layer, 0, 0.1).rank, 10);
  }
}

TEST(SpectralNorms, NeedABottleneck) {
  const LayerInspection layer{.name = "blocks.0",
                              .attention = std::make_shared<FactoredMap>(
                                  AttentionDescription{.mechanism = "sima"},
                                  randomStack(1, 9, 3, 1), MatrixStack(), randomStack(1, 9, 3, 2))};
  EXPECT_THROW(spectralNorms(layer, 0), InspectionError);
}

TEST(PowerLaw, IsTheLineThroughLogarithms) {
  const auto law = fitPowerLaw({10, 20, 40, 0, 80}, {300, 1200, 4800, 7, 19200});
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->exponent, 2, 1e-12);
  EXPECT_NEAR(law->factor, 3, 1e-9);
  EXPECT_NEAR(*law->exponentError, 0, 1e-9);
  // ln y = 0, 1, 1 at ln x = 0, 1, 2: slope 1/2, residuals -1/6, 1/3, -1/6.
  const double e = std::exp(1.0);
  const auto scattered = fitPowerLaw({1, e, e * e}, {1, e, e});
  EXPECT_NEAR(scattered->exponent, 0.5, 1e-12);
  EXPECT_NEAR(*scattered->exponentError, std::sqrt((1.0 / 6) / 2), 1e-12);
  EXPECT_FALSE(fitPowerLaw({1, 2}, {1, 2})->exponentError) << "two points leave nothing to judge";
  EXPECT_FALSE(fitPowerLaw({5, 5}, {1, 2}));
  EXPECT_FALSE(fitPowerLaw({5, 6}, {1, -2}));
  EXPECT_FALSE(fitPowerLaw({}, {}));
}

}  // namespace
}  // namespace softscope
