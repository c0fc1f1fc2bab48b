#include "core/attention/DenseMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomStack;
using test::relativeDifference;

TEST(DenseMap, AnswersFromItsMatrix) {
  const MatrixStack values = randomStack(2, 7, 11, 3);
  const DenseMap map({}, values);
  EXPECT_EQ(map.description().heads, 2);
  EXPECT_EQ(map.description().queries, 7);
  EXPECT_EQ(map.description().keys, 11);
  EXPECT_EQ(map.row(1, 6), Vector(values[1].row(6).transpose()));
  EXPECT_EQ(map.column(1, 10), Vector(values[1].col(10)));
  EXPECT_EQ(map.block(0, 2, 3, 4, 5), Matrix(values[0].block(2, 3, 4, 5)));
  EXPECT_LT(relativeDifference(map.averaged(1, map.wholePart(), 4, 4),
                               averagedOverAreas(values[1].cast<double>(), 4, 4)),
            1e-5);
  const Eigen::MatrixXd cut = values[1].block(1, 3, 6, 8).cast<double>();
  EXPECT_LT(relativeDifference(map.averaged(1, {1, 3, 6, 8}, 4, 3), averagedOverAreas(cut, 4, 3)),
            1e-5);
}

}  // namespace
}  // namespace softscope
