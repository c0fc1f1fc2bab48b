#include "core/Error.h"
#include "core/analysis/EntryRange.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

using test::randomStack;

TEST(EntryRange, IsThatOfTheWholeMatrixInFloat64) {
  // More rows than one block has.
  const FactoredMap factored({}, randomStack(2, 700, 5, 1), {}, randomStack(2, 400, 5, 3));
  const KernelMap kernel({}, KernelMap::Kernel::Softmax, randomStack(2, 700, 5, 1),
                         randomStack(2, 400, 5, 3), 0.7);
  for (int head = 0; head < 2; ++head) {
    const Eigen::MatrixXd product =
        factored.left()[head].cast<double>() * factored.right()[head].cast<double>().transpose();
    const EntryRange range = entryRange(factored, head);
    EXPECT_NEAR(range.smallest, product.minCoeff(), 1e-5);
    EXPECT_NEAR(range.largest, product.maxCoeff(), 1e-5);
    EXPECT_NEAR(range.largestMagnitude(), product.cwiseAbs().maxCoeff(), 1e-5);
    Eigen::MatrixXd weights = (0.7 * product).array().exp();
    weights = (weights.array().colwise() / weights.rowwise().sum().array()).eval();
    EXPECT_NEAR(entryRange(kernel, head).smallest, weights.minCoeff(), 1e-6);
    EXPECT_NEAR(entryRange(kernel, head).largest, weights.maxCoeff(), 1e-6);
  }
  EXPECT_THROW(entryRange(factored, 2), InspectionError);
}

TEST(EntryRange, FindsTheLastEntryAndWhatIsNotFinite) {
  Matrix matrix = Matrix::Constant(600, 450, 0.5f);
  matrix(599, 449) = -7;
  EXPECT_EQ(entryRange(DenseMap({}, MatrixStack({matrix})), 0).smallest, -7);
  EXPECT_EQ(entryRange(DenseMap({}, MatrixStack({matrix})), 0).largest, 0.5);
  matrix(3, 4) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(entryRange(DenseMap({}, MatrixStack({matrix})), 0).largestMagnitude()));
}

TEST(EntryRange, StopsWhenCancelled) {
  Progress progress;
  progress.cancel();
  EXPECT_THROW(entryRange(DenseMap({}, randomStack(1, 9, 9, 1)), 0, progress), Cancelled);
}

TEST(EntryBound, IsTheHeadsChannelsWhereTheirNormsAreDividedOut) {
  const auto bound = [](const std::string& mechanism) {
    return entryBound({.mechanism = mechanism, .parameters = {{"D", 48}}});
  };
  for (const char* name : {"sima", "sima_class", "sima_l2", "sima_l2_class"}) {
    EXPECT_EQ(bound(name), 48) << name;
  }
  EXPECT_FALSE(bound("sima_unnormalised"));
  EXPECT_FALSE(bound("softmax"));
  EXPECT_FALSE(entryBound({.mechanism = "sima"})) << "nothing says its channels";
}

}  // namespace
}  // namespace softscope
