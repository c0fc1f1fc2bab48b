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
  const PrincipalDirections components = principalDirections({values}, 3);
  const Matrix scores = components.scores(values);

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
    EXPECT_LT((scores.col(i).cast<double>() - expected).norm(), 1e-4 * value) << i;
  }
}

TEST(PrincipalComponents, AreThoseOfTheSingularDecomposition) {
  expectAsBySvd(40, 12);
  expectAsBySvd(200, 90);
  expectAsBySvd(20, 100);
}

TEST(PrincipalComponents, OfPartsAreThoseOfAllRows) {
  std::srand(8);
  const Matrix all = Matrix::Random(60, 9);
  const std::vector<Matrix> parts{all.topRows(25), all.middleRows(25, 5), all.bottomRows(30)};
  const PrincipalDirections expected = principalDirections({all}, 3);
  const PrincipalDirections found = principalDirections(parts, 3);
  EXPECT_LT((found.directions - expected.directions).norm(), 1e-9);
  EXPECT_LT((found.mean - expected.mean).norm(), 1e-12);
  const PrincipalDirections swapped = principalDirections({parts[2], parts[0]}, 3);
  EXPECT_EQ(swapped.directions, principalDirections({parts[0], parts[2]}, 3).directions);
}

TEST(PrincipalComponents, OfWhatDoesNotVaryAreZero) {
  const PrincipalDirections components = principalDirections({Matrix::Ones(9, 5)}, 3);
  EXPECT_TRUE(components.scores(Matrix::Random(4, 5)).isZero());
  EXPECT_EQ(components.explained, (std::vector<double>{0, 0, 0}));
}

TEST(PrincipalComponents, BeyondTheColumnsAreZero) {
  const Matrix values = Matrix::Random(9, 2);
  const PrincipalDirections components = principalDirections({values}, 3);
  EXPECT_TRUE(components.scores(values).col(2).isZero());
  EXPECT_NEAR(components.explained[0] + components.explained[1], 1, 1e-9);
}

}  // namespace
}  // namespace softscope
