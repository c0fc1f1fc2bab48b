#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/linalg/Eigenvalues.h"
#include "core/linalg/MatrixSpectrum.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>
#include <vector>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

/// A reflection that spares no coordinate: orthogonal.
Eigen::MatrixXd reflection(int size, unsigned seed) {
  const Eigen::VectorXd direction = randomMatrix(size, 1, seed).cast<double>().normalized();
  return Eigen::MatrixXd::Identity(size, size) - 2 * direction * direction.transpose();
}

EigenvalueSigns signsOf(const Eigen::MatrixXd& matrix) {
  return countSigns(matrixEigenvalues(matrix, 512, 32, {}));
}

/// How many eigenvalues of a dense matrix, found by a general solver, have real parts beyond
/// `zero`.
EigenvalueSigns directSigns(const Eigen::MatrixXd& matrix, double zero) {
  EigenvalueSigns signs;
  for (const std::complex<double>& value : test::denseEigenvalues(matrix)) {
    ++signs.all;
    if (std::abs(value.real()) <= zero) ++signs.zero;
    if (value.real() < -zero) ++signs.negative;
    if (value.real() < -zero) signs.mostNegative = std::min(signs.mostNegative, value.real());
  }
  return signs;
}

TEST(EigenvalueSigns, OfASymmetricMatrixAreItsInertia) {
  const Eigen::VectorXd values{{5, -3, 1, -0.5, 1e-4, 1e-9, -1e-9, 0}};
  const Eigen::MatrixXd basis = reflection(8, 1);
  const Eigen::MatrixXd matrix = basis * values.asDiagonal() * basis.transpose();
  const Eigenvalues found = matrixEigenvalues(matrix, 512, 32, {});
  EXPECT_TRUE(found.symmetric);
  EXPECT_NEAR(found.rounding, 8 * 5 * 1.1920929e-7, 1e-12);
  const EigenvalueSigns signs = countSigns(found);
  EXPECT_EQ(signs.all, 8);
  EXPECT_EQ(signs.negative, 2);
  EXPECT_EQ(signs.zero, 3) << "a float32's rounding of the largest is not negative";
  EXPECT_NEAR(signs.mostNegative, -3, 1e-9);
  EXPECT_NEAR(found.realParts[0], 5, 1e-9);
  EXPECT_NEAR(found.realParts[1], -3, 1e-9) << "by magnitude, with its sign";
  EXPECT_EQ(signOf(found, 1), -1);
  EXPECT_EQ(signOf(found, 2), 1);
  EXPECT_EQ(signOf(found, 7), 0);
}

TEST(EigenvalueSigns, OfAMatrixThatIsNotSymmetricAreThoseOfRealParts) {
  // Eigenvalues 2 +- 3i, -1 +- 4i, +-2i, 0.5 and -0.25.
  Eigen::MatrixXd blocks = Eigen::MatrixXd::Zero(8, 8);
  const double pairs[3][2] = {{2, 3}, {-1, 4}, {0, 2}};
  for (int i = 0; i < 3; ++i) {
    blocks(2 * i, 2 * i) = blocks(2 * i + 1, 2 * i + 1) = pairs[i][0];
    blocks(2 * i, 2 * i + 1) = -pairs[i][1];
    blocks(2 * i + 1, 2 * i) = pairs[i][1];
  }
  blocks(6, 6) = 0.5;
  blocks(7, 7) = -0.25;
  const Eigen::MatrixXd basis = reflection(8, 2);
  const Eigenvalues found = matrixEigenvalues(basis * blocks * basis.transpose(), 512, 32, {});
  EXPECT_FALSE(found.symmetric);
  const EigenvalueSigns signs = countSigns(found);
  EXPECT_EQ(signs.negative, 3);
  EXPECT_EQ(signs.zero, 2) << "purely imaginary";
  EXPECT_NEAR(signs.mostNegative, -1, 1e-9);
  EXPECT_NEAR(found.values[0], std::abs(std::complex<double>(-1, 4)), 1e-9);
}

TEST(EigenvalueSigns, OfFactorsAreThoseOfTheirMiddle) {
  // Sylvester's law of inertia: L M L^T has as many negative eigenvalues as M.
  const MatrixStack left = randomStack(1, 300, 12, 3);
  for (const int negative : {0, 1, 5, 12}) {
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(12, 1, 2);
    values.head(negative) *= -1;
    const Eigen::MatrixXd basis = reflection(12, 4);
    const Eigen::MatrixXd middle = basis * values.asDiagonal() * basis.transpose();
    const FactoredMap map({}, left, MatrixStack({middle.cast<float>()}), left);
    const Eigenvalues found = *attentionSpectrum(map, 0).eigenvalues;
    EXPECT_TRUE(found.symmetric);
    const EigenvalueSigns signs = countSigns(found);
    EXPECT_EQ(signs.all, 12);
    EXPECT_EQ(signs.negative, negative);
    EXPECT_EQ(signs.zero, 0);
    const Eigen::MatrixXd whole = left[0].cast<double>() * middle.cast<float>().cast<double>() *
                                  left[0].cast<double>().transpose();
    const EigenvalueSigns direct = directSigns(whole, found.rounding);
    EXPECT_EQ(direct.negative, negative);
    EXPECT_EQ(direct.zero, 300 - 12) << "those that the factors' sizes make zero never count";
    EXPECT_NEAR(direct.mostNegative, signs.mostNegative, 1e-6 * found.values[0]);
  }
}

TEST(EigenvalueSigns, OfEveryKindOfMapAreThoseOfADenseSolver) {
  const FactoredMap factored({}, randomStack(1, 90, 7, 1), {}, randomStack(1, 90, 7, 2));
  const KernelMap softmax({}, KernelMap::Kernel::Softmax, randomStack(1, 90, 7, 1),
                          randomStack(1, 90, 7, 2), 0.7);
  const DenseMap dense({}, randomStack(1, 40, 40, 5));
  for (const AttentionMap* map :
       {static_cast<const AttentionMap*>(&factored), static_cast<const AttentionMap*>(&softmax),
        static_cast<const AttentionMap*>(&dense)}) {
    const Eigen::MatrixXd whole = test::wholeMatrix(*map, 0);
    const Eigenvalues found = *attentionSpectrum(*map, 0).eigenvalues;
    EXPECT_FALSE(found.symmetric);
    const EigenvalueSigns signs = countSigns(found);
    const EigenvalueSigns direct = directSigns(whole, found.rounding);
    EXPECT_EQ(signs.negative, direct.negative);
    EXPECT_GT(signs.negative, 0);
    EXPECT_NEAR(signs.mostNegative, direct.mostNegative, 1e-5 * found.values[0]);
  }
}

TEST(EigenvalueSigns, OfAGaussianKernelAreNeverNegative) {
  const MatrixStack tokens = randomStack(1, 120, 2, 5);
  const KernelMap map({}, KernelMap::Kernel::Gaussian, tokens, tokens, 1);
  const EigenvalueSigns dense = countSigns(*attentionSpectrum(map, 0).eigenvalues);
  EXPECT_EQ(dense.all, 120);
  EXPECT_EQ(dense.negative, 0);
  EXPECT_GT(dense.zero, 30) << "its spectrum falls under float32's rounding";
  // In float32 alone, some of these are negative.
  EXPECT_GT(directSigns(test::wholeMatrix(map, 0), 0).negative, 0);
  const Eigenvalues largest =
      *attentionSpectrum(map, 0, {.denseTokens = 20, .largest = 12}).eigenvalues;
  EXPECT_TRUE(largest.symmetric);
  EXPECT_EQ(countSigns(largest).all, 12);
  EXPECT_EQ(countSigns(largest).negative, 0);
}

TEST(EigenvalueSigns, OfTheLargestByIterationHaveTheirSigns) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(60, -7.9, 6.1);
  const Eigen::MatrixXd basis = randomMatrix(60, 60, 6).cast<double>();
  const Eigen::MatrixXd whole = basis * values.asDiagonal() * test::denseInverse(basis);
  const Eigenvalues found = matrixEigenvalues(whole, 20, 6, {});
  EXPECT_FALSE(found.all);
  const EigenvalueSigns signs = countSigns(found);
  ASSERT_EQ(signs.all, 6);
  EXPECT_EQ(signs.negative, 6) << "-7.9 to -6.7 are larger than 6.1";
  EXPECT_NEAR(signs.mostNegative, -7.9, 1e-4);
}

/// Returns the rows and columns of a matrix in another order, the same for both.
Eigen::MatrixXd shuffled(const Eigen::MatrixXd& matrix) {
  const Eigen::Index size = matrix.rows();
  Eigen::MatrixXd result(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      result(i, j) = matrix((7 * i + 3) % size, (7 * j + 3) % size);
    }
  }
  return result;
}

TEST(TriangularEigenvalues, AreTheDiagonalInWhateverOrderTheTokensAre) {
  constexpr int size = 65;
  const Eigen::VectorXd diagonal = Eigen::VectorXd::LinSpaced(size, -0.2, 0.3);
  Eigen::MatrixXd matrix = 50 * randomMatrix(size, size, 3).cast<double>();
  matrix = Eigen::MatrixXd(matrix.triangularView<Eigen::StrictlyLower>());
  matrix.diagonal() = diagonal;
  // A dense solver finds others.
  double furthest = 0;
  for (const std::complex<double>& value : test::denseEigenvalues(shuffled(matrix))) {
    furthest = std::max(furthest, (diagonal.array() - value.real()).abs().minCoeff());
    furthest = std::max(furthest, std::abs(value.imag()));
  }
  EXPECT_GT(furthest, 0.01);
  std::vector<double> expected(diagonal.begin(), diagonal.end());
  std::ranges::sort(expected, std::ranges::greater{}, [](double value) { return std::abs(value); });
  // Dense and beyond the limit for it.
  for (const int denseLimit : {512, 20}) {
    for (const Eigen::MatrixXd& each :
         {matrix, shuffled(matrix), Eigen::MatrixXd(matrix.transpose())}) {
      const Eigenvalues found = matrixEigenvalues(each, denseLimit, 8, {});
      ASSERT_EQ(found.realParts.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.values[i], std::abs(found.realParts[i]));
        EXPECT_NEAR(found.values[i], std::abs(expected[i]), 1e-12);
      }
      EXPECT_TRUE(found.all);
      EXPECT_EQ(countSigns(found).negative, (diagonal.array() < 0).count());
      EXPECT_EQ(found.method, "eigenvalues: the diagonal of a triangular matrix");
    }
  }
}

TEST(TriangularEigenvalues, AreNotTakenFromAMatrixWithACycle) {
  // As sparse as a triangular matrix, but 0 and 1 each need the other.
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(5, 5);
  matrix(0, 1) = 4;
  matrix(1, 0) = 1;
  matrix(3, 2) = 1;
  const Eigenvalues found = matrixEigenvalues(matrix, 512, 5, {});
  EXPECT_NEAR(found.values[0], 2, 1e-9);
  EXPECT_NEAR(found.values[1], 2, 1e-9);
}

TEST(EigenvalueSigns, OfZerosAreZero) {
  const EigenvalueSigns signs = signsOf(Eigen::MatrixXd::Zero(4, 4));
  EXPECT_EQ(signs.zero, 4);
  EXPECT_EQ(signs.negative, 0);
}

}  // namespace
}  // namespace softscope
