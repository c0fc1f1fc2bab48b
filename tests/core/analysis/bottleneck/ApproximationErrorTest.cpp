#include "core/Error.h"
#include "core/analysis/bottleneck/ApproximationError.h"
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
  EXPECT_NEAR(error.largest, difference.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(error.query, 650);
  EXPECT_EQ(error.key, 20);
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
