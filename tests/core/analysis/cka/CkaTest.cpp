#include "core/analysis/cka/CkaAnalysis.h"

#include <Eigen/QR>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace softscope {
namespace {

Matrix normalFeatures(int pictures, int channels, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> entries;
  Matrix matrix(pictures, channels);
  for (float& entry : matrix.reshaped()) entry = entries(random);
  return matrix;
}

/// The U-statistic over all ordered quadruples of different pictures, which HSIC_1 is a closed form
/// of: the mean of K_ij L_ij + K_ij L_kl - 2 K_ij L_ik.
double hsicOfQuadruples(const Eigen::MatrixXd& k, const Eigen::MatrixXd& l) {
  const auto n = static_cast<int>(k.rows());
  double sum = 0;
  double count = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      for (int c = 0; c < n; ++c) {
        for (int d = 0; d < n; ++d) {
          if (a == b || a == c || a == d || b == c || b == d || c == d) continue;
          sum += k(a, b) * l(a, b) + k(a, b) * l(c, d) - 2 * k(a, b) * l(a, c);
          ++count;
        }
      }
    }
  }
  return sum / count;
}

TEST(Cka, HsicIsTheMeanOverAllQuadruplesOfPictures) {
  const Eigen::MatrixXd k = gramMatrix(normalFeatures(7, 5, 1));
  const Eigen::MatrixXd l = gramMatrix(normalFeatures(7, 3, 2));
  EXPECT_NEAR(unbiasedHsic(k, l), hsicOfQuadruples(k, l), 1e-10);
  EXPECT_NEAR(unbiasedHsic(k, k), hsicOfQuadruples(k, k), 1e-10);
}

TEST(Cka, IsOneForALayerWithItselfRotatedAndScaled) {
  const Matrix first = normalFeatures(12, 6, 3);
  const Matrix other = normalFeatures(12, 9, 4);
  const Matrix rotation =
      Eigen::HouseholderQR<Eigen::MatrixXf>(normalFeatures(6, 6, 5)).householderQ() *
      Eigen::MatrixXf::Identity(6, 6);
  const Matrix rotated =
      ((3 * first * rotation).rowwise() + Eigen::RowVectorXf::Constant(6, 2)).eval();
  CkaSum sum(2, 2);
  sum.add({gramMatrix(first), gramMatrix(other)}, {gramMatrix(rotated), gramMatrix(other)});
  const Eigen::MatrixXd values = sum.values();
  EXPECT_NEAR(values(0, 0), 1, 1e-5);
  EXPECT_NEAR(values(1, 1), 1, 1e-12);
  EXPECT_LT(std::abs(values(0, 1)), 0.7);
}

TEST(Cka, AveragesOverBatches) {
  CkaSum sum(1, 1);
  double both = 0;
  double first = 0;
  double second = 0;
  for (unsigned batch = 0; batch < 3; ++batch) {
    const Eigen::MatrixXd k = gramMatrix(normalFeatures(6, 4, 10 + batch));
    const Eigen::MatrixXd l = gramMatrix(normalFeatures(6, 4, 20 + batch)) + k;
    sum.add({k}, {l});
    both += hsicOfQuadruples(k, l);
    first += hsicOfQuadruples(k, k);
    second += hsicOfQuadruples(l, l);
  }
  EXPECT_NEAR(sum.values()(0, 0), both / std::sqrt(first * second), 1e-10);
}

TEST(Cka, IsNotDefinedForALayerThatDoesNotTellPicturesApart) {
  CkaSum sum(1, 1);
  sum.add({gramMatrix(Matrix::Ones(5, 3))}, {gramMatrix(normalFeatures(5, 3, 1))});
  EXPECT_TRUE(std::isnan(sum.values()(0, 0)));
}

// The mean of equal numbers need not equal them, and HSIC_1 of such matrices is zero but for
// rounding, of either sign.
TEST(Cka, IsNotDefinedForTheSamePictureSeveralTimes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const int pictures = 5 + static_cast<int>(seed % 7);
    const Matrix same = normalFeatures(1, 9, seed).replicate(pictures, 1);
    Matrix allButOne = same;
    allButOne.row(2) = normalFeatures(1, 9, 100 + seed);
    const std::vector<Eigen::MatrixXd> grams{gramMatrix(same), gramMatrix(allButOne)};
    CkaSum sum(2, 3);
    sum.add(grams, {grams[0], grams[1], gramMatrix(normalFeatures(pictures, 9, 200 + seed))});
    EXPECT_TRUE(sum.values().array().isNaN().all()) << seed << '\n' << sum.values();
  }
}

TEST(Cka, DoesNotDependOnALargeCommonMean) {
  // Multiples of 1/64 keep their digits beside 65536 in float32.
  const Matrix features = (64 * normalFeatures(6, 4, 7)).array().round() / 64;
  const Matrix shifted = features.array() + 65536.0f;
  const Eigen::MatrixXd gram = gramMatrix(features);
  const Eigen::MatrixXd other = gramMatrix(shifted);
  EXPECT_NEAR(unbiasedHsic(other, other), hsicOfQuadruples(gram, gram), 1e-8);
}

TEST(Cka, DividesPicturesEvenlyIntoBatches) {
  EXPECT_THAT(batchBegins(10, 64), testing::ElementsAre(0, 10));
  EXPECT_THAT(batchBegins(130, 64), testing::ElementsAre(0, 65, 130));
  EXPECT_THAT(batchBegins(11, 4), testing::ElementsAre(0, 5, 11));
}

TEST(Cka, TableHasARowForEachPairOfLayers) {
  ModelCka cka{.first = "a",
               .second = "b",
               .firstLayers = {"one", "two"},
               .secondLayers = {"three"},
               .pictures = 9,
               .values = Eigen::MatrixXd(2, 1)};
  cka.values << 0.5, std::nan("");
  const Table table = ckaTable(cka);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(csvText(table),
            "model,layer,other_model,other_layer,cka,pictures\na,one,b,three,0.5,9\n"
            "a,two,b,three,,9\n");
}

}  // namespace
}  // namespace softscope
