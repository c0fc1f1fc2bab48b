#include "models/attention/SoftKernel.h"

#include <ATen/Parallel.h>
#include <Eigen/Dense>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

/// A bottleneck matrix as SOFT makes it: a Gaussian kernel of random landmarks.
torch::Tensor kernelOfLandmarks(int batch, int heads, int landmarks, double spread) {
  torch::manual_seed(1);
  const torch::Tensor points = spread * torch::randn({batch, heads, landmarks, 8});
  return gaussianKernel(points, points);
}

Eigen::MatrixXd landmarkMatrix(const torch::Tensor& tensor) {
  const torch::Tensor host = tensor.to(torch::kFloat64).contiguous();
  return Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(host.data_ptr<double>(),
                                                                    host.size(0), host.size(1));
}

/// The released schemes step by step in float64, straight from the released code: the start, then
/// twenty times V <- 2V - V B V.
Eigen::MatrixXd twentySteps(Eigen::MatrixXd inverse, const Eigen::MatrixXd& matrix) {
  for (int step = 0; step < 20; ++step) inverse = 2 * inverse - inverse * matrix * inverse;
  return inverse;
}

/// Landmarks of sizes that fill whole vectors, that do not, and for which the library multiplies.
class SoftInverseOfSize : public testing::TestWithParam<int> {};

TEST_P(SoftInverseOfSize, IsTheDampedIterationOfEachMatrix) {
  const int landmarks = GetParam();
  const torch::Tensor kernel = kernelOfLandmarks(2, 3, landmarks, 1.0);
  const torch::Tensor inverse = invertSoft(kernel);
  for (int batch = 0; batch < 2; ++batch) {
    for (int head = 0; head < 3; ++head) {
      const Eigen::MatrixXd a = landmarkMatrix(kernel[batch][head]);
      const Eigen::MatrixXd damped = a + 0.01 * Eigen::MatrixXd::Identity(landmarks, landmarks);
      const double largest = a.rowwise().sum().maxCoeff();
      const Eigen::MatrixXd expected = twentySteps(1.8 / (largest * largest) * damped, damped);
      EXPECT_LT((landmarkMatrix(inverse[batch][head]) - expected).norm() / expected.norm(), 1e-4);
      EXPECT_LT((expected - damped.inverse()).norm() / expected.norm(), 1e-2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SmallAndLarge, SoftInverseOfSize, testing::Values(1, 12, 16, 49, 64, 70));

// However its heads are spread over the threads, each a thread of its own or all threads together.
TEST(SoftInverse, IsTheSameOnAnyNumberOfThreads) {
  constexpr int landmarks = 130;
  const int before = at::get_num_threads();
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    const torch::Tensor kernel = kernelOfLandmarks(1, 3, landmarks, 1.0).to(type);
    for (const int threads : {1, 2, 4, 7}) {
      at::set_num_threads(threads);
      const c10::InferenceMode inference;
      const torch::Tensor inverse = invertSoft(kernel);
      for (int head = 0; head < 3; ++head) {
        const Eigen::MatrixXd a = landmarkMatrix(kernel[0][head]);
        const Eigen::MatrixXd damped = a + 0.01 * Eigen::MatrixXd::Identity(landmarks, landmarks);
        const double largest = a.rowwise().sum().maxCoeff();
        const Eigen::MatrixXd expected = twentySteps(1.8 / (largest * largest) * damped, damped);
        EXPECT_LT((landmarkMatrix(inverse[0][head]) - expected).norm() / expected.norm(),
                  type == torch::kFloat32 ? 1e-4 : 1e-10)
            << threads << " threads, head " << head;
      }
    }
  }
  at::set_num_threads(before);
}

TEST(SoftNormInverse, TakesItsMaximaOverTheHeadsOfOnePicture) {
  // Second picture far better conditioned: alone or in a batch, each gives the same result.
  const torch::Tensor first = kernelOfLandmarks(1, 3, 12, 0.6);
  const torch::Tensor second = kernelOfLandmarks(1, 3, 12, 3.0);
  const torch::Tensor together = invertSoftNorm(at::cat({first, second}, 0));
  EXPECT_TRUE(at::allclose(together.slice(0, 0, 1), invertSoftNorm(first), 1e-4, 1e-4));
  EXPECT_TRUE(at::allclose(together.slice(0, 1, 2), invertSoftNorm(second), 1e-4, 1e-4));
}

TEST(SoftNormInverse, HalvesItsStartUntilTheResidualIsSmallEnough) {
  const torch::Tensor kernel = kernelOfLandmarks(1, 3, 12, 0.6);
  double largestRowSum = 0;
  for (int head = 0; head < 3; ++head) {
    largestRowSum =
        std::max(largestRowSum, landmarkMatrix(kernel[0][head]).rowwise().sum().maxCoeff());
  }
  const auto residual = [&](double start) {
    double largest = 0;
    for (int head = 0; head < 3; ++head) {
      const Eigen::MatrixXd a = landmarkMatrix(kernel[0][head]);
      const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(12, 12) - start * a * a;
      largest = std::max(largest, rest.cwiseAbs().colwise().sum().maxCoeff());
    }
    return largest;
  };
  double start = 2 / (largestRowSum * largestRowSum);
  int halvings = 0;
  while (residual(start) > 1.01 && halvings < 10) {
    start /= 2;
    ++halvings;
  }
  EXPECT_GT(halvings, 0) << "the test would not see the halving";
  const torch::Tensor inverse = invertSoftNorm(kernel);
  for (int head = 0; head < 3; ++head) {
    const Eigen::MatrixXd a = landmarkMatrix(kernel[0][head]);
    const Eigen::MatrixXd expected = twentySteps(start * a, a);
    EXPECT_LT((landmarkMatrix(inverse[0][head]) - expected).norm() / expected.norm(), 1e-3);
  }
}

TEST(SoftNormInverse, NormalisationDividesByTheRootsOfTheRowSums) {
  const torch::Tensor kernel = kernelOfLandmarks(1, 1, 6, 1.0);
  const torch::Tensor inverse = invertSoftNorm(kernel);
  const Eigen::MatrixXd a = landmarkMatrix(kernel[0][0]);
  const Eigen::MatrixXd scale =
      a.rowwise().sum().cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix();
  const Eigen::MatrixXd expected = scale * landmarkMatrix(inverse[0][0]) * scale;
  EXPECT_LT(
      (landmarkMatrix(normaliseInverse(inverse, kernel)[0][0]) - expected).norm() / expected.norm(),
      1e-5);
}

}  // namespace
}  // namespace softscope
