#include "core/Error.h"
#include "core/Progress.h"
#include "core/attention/KernelMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomStack;
using test::relativeDifference;

constexpr double scale = 0.7;

/// The kernel entry by entry in double, straight from its formula.
Eigen::MatrixXd dense(KernelMap::Kernel kernel, const Eigen::MatrixXd& query,
                      const Eigen::MatrixXd& key) {
  Eigen::MatrixXd values(query.rows(), key.rows());
  for (int i = 0; i < query.rows(); ++i) {
    for (int j = 0; j < key.rows(); ++j) {
      values(i, j) = kernel == KernelMap::Kernel::Softmax
                         ? std::exp(scale * query.row(i).dot(key.row(j)))
                         : std::exp(-(query.row(i) - key.row(j)).squaredNorm() / 2);
    }
    if (kernel == KernelMap::Kernel::Softmax) values.row(i) /= values.row(i).sum();
  }
  return values;
}

class KernelMapTest : public ::testing::TestWithParam<KernelMap::Kernel> {
 protected:
  KernelMapTest()
      : query_(randomStack(2, 14, 3, 5)),
        key_(randomStack(2, 9, 3, 7)),
        map_({.mechanism = "test"}, GetParam(), query_, key_, scale),
        expected_(dense(GetParam(), query_[1].cast<double>(), key_[1].cast<double>())) {}

  MatrixStack query_;
  MatrixStack key_;
  KernelMap map_;
  Eigen::MatrixXd expected_;
};

TEST_P(KernelMapTest, RowsColumnsAndBlocksAreThoseOfTheDenseMatrix) {
  for (int i = 0; i < 14; ++i) {
    EXPECT_LT(relativeDifference(map_.row(1, i), expected_.row(i).transpose()), 1e-5);
  }
  for (int j = 0; j < 9; ++j) {
    EXPECT_LT(relativeDifference(map_.column(1, j), expected_.col(j)), 1e-5);
  }
  EXPECT_LT(relativeDifference(map_.block(1, 2, 1, 8, 7), expected_.block(2, 1, 8, 7)), 1e-5);
  EXPECT_LT(relativeDifference(map_.whole(1, 1 << 20), expected_), 1e-5);
}

TEST(KernelMapColumns, OfALargeSoftmaxArePreparedBefore) {
  // 2 x 1300 x 1250 x 16 multiply-adds are more than nobody notices.
  const MatrixStack query = randomStack(2, 1300, 16, 3);
  const MatrixStack key = randomStack(2, 1250, 16, 4);
  const KernelMap map({.mechanism = "test"}, KernelMap::Kernel::Softmax, query, key, scale);
  EXPECT_FALSE(map.columnsReady());
  Progress cancelled;
  cancelled.cancel();
  EXPECT_THROW(map.prepareColumns(cancelled), Cancelled);
  EXPECT_FALSE(map.columnsReady()) << "nothing half done counts";
  double last = 0;
  map.prepareColumns(Progress([&](double fraction, const std::string&) {
    EXPECT_GE(fraction, last);
    last = fraction;
  }));
  EXPECT_GT(last, 0.9);
  EXPECT_TRUE(map.columnsReady());
  const KernelMap unprepared({.mechanism = "test"}, KernelMap::Kernel::Softmax, query, key, scale);
  const Vector column = map.column(1, 77);
  EXPECT_EQ(column, unprepared.column(1, 77));
  for (const int i : {0, 600, 1299})
    EXPECT_NEAR(column[i], map.row(1, i)[77], 1e-6f * map.row(1, i).maxCoeff());
  EXPECT_FALSE(unprepared.columnsReady()) << "one head is not all";

  const KernelMap gaussian({.mechanism = "test"}, KernelMap::Kernel::Gaussian, query, key, scale);
  EXPECT_TRUE(gaussian.columnsReady()) << "its rows have no sums";
}

TEST_P(KernelMapTest, SmallMapsAreReadyAtOnce) {
  EXPECT_TRUE(map_.columnsReady());
}

TEST_P(KernelMapTest, DownsamplingAveragesAreas) {
  EXPECT_LT(relativeDifference(map_.averaged(1, map_.wholePart(), 4, 4),
                               averagedOverAreas(expected_, 4, 4)),
            1e-5);
}

TEST_P(KernelMapTest, APartIsAveragedFromItsOwnRowsAndColumns) {
  const MatrixPart part{3, 1, 11, 7};
  const Eigen::MatrixXd cut = expected_.block(3, 1, 11, 7);
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 4, 3), averagedOverAreas(cut, 4, 3)), 1e-5);
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 99, 99), cut), 1e-5);
  Progress cancelled;
  cancelled.cancel();
  EXPECT_THROW(map_.averaged(1, part, 4, 3, cancelled), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelMapTest,
                         ::testing::Values(KernelMap::Kernel::Softmax,
                                           KernelMap::Kernel::Gaussian));

TEST(KernelMap, SoftmaxSurvivesLargeExponents) {
  Matrix tokens(3, 1);
  tokens << 100, -100, 99;
  const MatrixStack stack(std::vector<Matrix>{tokens});
  const KernelMap map({}, KernelMap::Kernel::Softmax, stack, stack, 1.0);
  const Vector row = map.row(0, 0);
  EXPECT_NEAR(row.sum(), 1.0f, 1e-6f);
  EXPECT_FLOAT_EQ(row[0], 1.0f);
  EXPECT_FLOAT_EQ(map.column(0, 0)[0], 1.0f);
}

}  // namespace
}  // namespace softscope
