#include "core/analysis/LineMeasures.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/query/HeadLikeness.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

/// The mean over all pairs of rows of Pearson's correlation, by its definition.
double likenessByDefinition(const Eigen::MatrixXd& matrix) {
  const Eigen::Index rows = matrix.rows();
  const auto correlation = [&](Eigen::Index a, Eigen::Index b) {
    long double products = 0;
    long double first = 0;
    long double second = 0;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const long double x = matrix(a, j) - matrix.row(a).mean();
      const long double y = matrix(b, j) - matrix.row(b).mean();
      products += x * y;
      first += x * x;
      second += y * y;
    }
    return products / std::sqrt(first * second);
  };
  long double sum = 0;
  for (Eigen::Index a = 0; a < rows; ++a) {
    for (Eigen::Index b = 0; b < rows; ++b) sum += correlation(a, b);
  }
  return static_cast<double>(sum / static_cast<long double>(rows * rows));
}

Eigen::MatrixXd matrixOf(const AttentionMap& map) {
  return map.whole(0, std::size_t{1} << 20).cast<double>();
}

AttentionDescription described(int queries, int keys) {
  AttentionDescription attention;
  attention.queries = queries;
  attention.keys = keys;
  return attention;
}

TEST(AnswerLikeness, IsTheMeanCorrelationOfTwoRows) {
  const Matrix values = randomMatrix(40, 25, 3).array() + 0.5F;
  const DenseMap dense(described(40, 25), MatrixStack({values}));
  EXPECT_NEAR(*answerLikeness(dense, 0), likenessByDefinition(values.cast<double>()), 1e-9);

  const FactoredMap factored(described(40, 25), randomStack(1, 40, 6, 1), {},
                             randomStack(1, 25, 6, 2));
  EXPECT_NEAR(*answerLikeness(factored, 0), likenessByDefinition(matrixOf(factored)), 1e-6);

  const FactoredMap nystrom(described(40, 25), randomStack(1, 40, 6, 1), randomStack(1, 6, 6, 3),
                            randomStack(1, 25, 6, 2));
  EXPECT_NEAR(*answerLikeness(nystrom, 0), likenessByDefinition(matrixOf(nystrom)), 1e-6);

  const KernelMap softmax(described(40, 25), KernelMap::Kernel::Softmax, randomStack(1, 40, 4, 1),
                          randomStack(1, 25, 4, 2), 1);
  EXPECT_NEAR(*answerLikeness(softmax, 0), likenessByDefinition(matrixOf(softmax)), 1e-6);
}

TEST(AnswerLikeness, OfOnePatternInManySizesIsOneAndItsLineScoreIsLess) {
  const Matrix sizes = (5 * randomMatrix(40, 1, 3)).array().exp();
  const Matrix pattern = randomMatrix(1, 25, 4).array() + 2;
  const DenseMap dense(described(40, 25), MatrixStack({Matrix(1e-7F * sizes * pattern)}));
  EXPECT_NEAR(*answerLikeness(dense, 0), 1, 1e-6);
  EXPECT_LT(*lineScores(dense, 0).raw, 0.5);
  const FactoredMap factored(described(40, 25), MatrixStack({Matrix(1e-7F * sizes)}), {},
                             MatrixStack({Matrix(pattern.transpose())}));
  EXPECT_NEAR(*answerLikeness(factored, 0), 1, 1e-6);
}

TEST(AnswerLikeness, OppositeRowsAreNotAlike) {
  Matrix signs(4, 1);
  signs << 1, -1, 1, -1;
  const DenseMap dense(described(4, 9), MatrixStack({Matrix(signs * randomMatrix(1, 9, 4))}));
  EXPECT_NEAR(*answerLikeness(dense, 0), 0, 1e-9);
}

TEST(AnswerLikeness, IsUndefinedWhereNoRowVaries) {
  const Matrix sizes = randomMatrix(9, 1, 5).array() + 2;
  const DenseMap dense(described(9, 7), MatrixStack({Matrix(sizes * Matrix::Ones(1, 7))}));
  EXPECT_FALSE(answerLikeness(dense, 0));
  const FactoredMap factored(described(9, 7), MatrixStack({sizes}), {},
                             MatrixStack({Matrix(Matrix::Ones(7, 1))}));
  EXPECT_FALSE(answerLikeness(factored, 0));
}

}  // namespace
}  // namespace softscope
