#include "core/Error.h"
#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/attention/DenseMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

TEST(ApproximationError, IsThatOfTheWholeMatrices) {
  const MatrixStack tokens = randomStack(2, 700, 3, 1);
  const KernelMap exact({}, KernelMap::Kernel::Gaussian, tokens, tokens, 1);
  Matrix approximate = test::wholeMatrix(exact, 1).cast<float>();
  approximate += 1e-3f * randomMatrix(700, 700, 2);
  approximate(650, 20) -= 0.5f;
  const DenseMap approximation({}, MatrixStack({approximate, approximate}));

  const ApproximationError error = approximationError(exact, approximation, 1);
  const Eigen::MatrixXd whole = test::wholeMatrix(exact, 1);
  const Eigen::MatrixXd difference = approximate.cast<double>() - whole;
  EXPECT_NEAR(error.relativeFrobenius, difference.norm() / whole.norm(), 1e-9);
  const double factor = whole.cwiseProduct(approximate.cast<double>()).sum() /
                        approximate.cast<double>().squaredNorm();
  EXPECT_NEAR(error.rescaledFrobenius,
              (whole - factor * approximate.cast<double>()).norm() / whole.norm(), 1e-9);
  EXPECT_NEAR(error.largest, difference.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(error.query, 650);
  EXPECT_EQ(error.key, 20);
}

TEST(ApproximationError, SaysWhetherAMapIsOnlyTooWeak) {
  const MatrixStack tokens = randomStack(1, 40, 3, 1);
  const KernelMap exact({}, KernelMap::Kernel::Gaussian, tokens, tokens, 1);
  const Matrix whole = test::wholeMatrix(exact, 0).cast<float>();
  const ApproximationError weak =
      approximationError(exact, DenseMap({}, MatrixStack({1e-6f * whole})), 0);
  EXPECT_NEAR(weak.relativeFrobenius, 1, 1e-5);
  EXPECT_LT(weak.rescaledFrobenius, 1e-6);
  const ApproximationError nothing =
      approximationError(exact, DenseMap({}, MatrixStack({0 * whole})), 0);
  EXPECT_EQ(nothing.relativeFrobenius, 1);
  EXPECT_EQ(nothing.rescaledFrobenius, 1);
}

TEST(ApproximationError, NeedsMapsOfOneSizeAndStopsWhenCancelled) {
  const DenseMap map({}, randomStack(1, 8, 8, 1));
  EXPECT_THROW(approximationError(map, DenseMap({}, randomStack(1, 8, 9, 1)), 0), InspectionError);
  Progress progress;
  progress.cancel();
  EXPECT_THROW(approximationError(map, map, 0, progress), Cancelled);
  EXPECT_EQ(approximationError(map, map, 0).relativeFrobenius, 0);
}

}  // namespace
}  // namespace softscope
