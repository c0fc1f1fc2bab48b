#include "core/linalg/PrincipalComponents.h"

#include <Eigen/SVD>
#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Against the singular values and vectors of the centred rows, in float64.
void expectAsBySvd(int rows, int columns) {
  std::srand(7);
  Matrix values = Matrix::Random(rows, columns);
  values.col(0) *= 5;
  values.col(1) += 2 * values.col(0);
  const PrincipalComponents components = principalComponents(values, 3);

  const Eigen::MatrixXd centred =
      values.cast<double>().rowwise() - values.cast<double>().colwise().mean();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const double whole = svd.singularValues().squaredNorm();
  for (int i = 0; i < 3; ++i) {
    const double value = svd.singularValues()[i];
    EXPECT_NEAR(components.explained[static_cast<std::size_t>(i)], value * value / whole, 1e-6);
    Eigen::Index largest = 0;
    svd.matrixV().col(i).cwiseAbs().maxCoeff(&largest);
    const double sign = svd.matrixV()(largest, i) < 0 ? -1 : 1;
    const Eigen::VectorXd expected = sign * value * svd.matrixU().col(i);
    EXPECT_LT((components.scores.col(i).cast<double>() - expected).norm(), 1e-4 * value) << i;
  }
}

TEST(PrincipalComponents, AreThoseOfTheSingularDecomposition) {
  expectAsBySvd(40, 12);
  expectAsBySvd(200, 90);
  expectAsBySvd(20, 100);
}

TEST(PrincipalComponents, OfWhatDoesNotVaryAreZero) {
  const PrincipalComponents components = principalComponents(Matrix::Ones(9, 5), 3);
  EXPECT_TRUE(components.scores.isZero());
  EXPECT_EQ(components.explained, (std::vector<double>{0, 0, 0}));
}

TEST(PrincipalComponents, BeyondTheColumnsAreZero) {
  const PrincipalComponents components = principalComponents(Matrix::Random(9, 2), 3);
  EXPECT_TRUE(components.scores.col(2).isZero());
  EXPECT_NEAR(components.explained[0] + components.explained[1], 1, 1e-9);
}

}  // namespace
}  // namespace softscope
