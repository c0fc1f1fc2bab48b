#include "core/linalg/NewtonRaphson.h"

#include "core/attention/Mechanism.h"

#include <algorithm>

namespace softscope {

namespace {

constexpr int mostHalvings = 10;

double largestColumnSum(const Eigen::MatrixXd& matrix) {
  return matrix.cwiseAbs().colwise().sum().maxCoeff();
}

double largestRowSum(const Eigen::MatrixXd& matrix) {
  return matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

/// Returns |I - a M|_1.
double startingError(const Eigen::MatrixXd& matrix, double scale) {
  return largestColumnSum(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()) - scale * matrix);
}

/// Starts all `kernels` with one common scale, halved until the starting error of every kernel is
/// within `bound`. M in that error is the kernel's entry of `bounded`.
std::vector<InverseStart> startHalving(const std::vector<Eigen::MatrixXd>& kernels,
                                       const std::vector<Eigen::MatrixXd>& bounded, double scale,
                                       double bound) {
  const auto within = [&] {
    return std::all_of(bounded.begin(), bounded.end(), [&](const Eigen::MatrixXd& matrix) {
      return startingError(matrix, scale) <= bound;
    });
  };
  int halvings = 0;
  while (!within() && halvings < mostHalvings) {
    scale /= 2;
    ++halvings;
  }
  const bool boundMet = within();
  std::vector<InverseStart> starts;
  for (const Eigen::MatrixXd& kernel : kernels) {
    starts.push_back({kernel, scale * kernel, halvings, boundMet});
  }
  return starts;
}

std::vector<InverseStart> startSoftNorm(const std::vector<Eigen::MatrixXd>& kernels) {
  double largest = 0;
  std::vector<Eigen::MatrixXd> squares;
  for (const Eigen::MatrixXd& kernel : kernels) {
    largest = std::max(largest, largestRowSum(kernel));
    squares.push_back(kernel * kernel);
  }
  return startHalving(kernels, squares, 2 / (largest * largest), 1.01);
}

InverseStart startOne(const Eigen::MatrixXd& kernel, InverseScheme scheme) {
  const double columnSum = largestColumnSum(kernel);
  const double rowSum = largestRowSum(kernel);
  switch (scheme) {
    case InverseScheme::Soft: {
      const Eigen::MatrixXd damped =
          kernel + 0.01 * Eigen::MatrixXd::Identity(kernel.rows(), kernel.cols());
      return {damped, 1.8 / (rowSum * rowSum) * damped};
    }
    case InverseScheme::Backtracking:
      return startHalving({kernel}, {kernel * kernel}, 2 / (columnSum * columnSum), 1).front();
    case InverseScheme::PrintedBacktracking:
      return startHalving({kernel}, {kernel}, 2 / (columnSum * columnSum), 1).front();
    case InverseScheme::Nystromformer:
      return {kernel, kernel.transpose() / (columnSum * rowSum)};
    case InverseScheme::Theorem:
    case InverseScheme::SoftNorm:
      break;
  }
  return {kernel, 2 / (columnSum * columnSum) * kernel};
}

template <typename SomeMatrix>
SomeMatrix step(const SomeMatrix& inverse, const SomeMatrix& matrix, InverseScheme scheme) {
  using Scalar = typename SomeMatrix::Scalar;
  if (scheme != InverseScheme::Nystromformer) {
    return Scalar(2) * inverse - (inverse * matrix).eval() * inverse;
  }
  const SomeMatrix identity = SomeMatrix::Identity(matrix.rows(), matrix.cols());
  const SomeMatrix product = matrix * inverse;
  const SomeMatrix inner = Scalar(15) * identity - product * (Scalar(7) * identity - product);
  return Scalar(0.25) * inverse * (Scalar(13) * identity - product * inner);
}

}  // namespace

std::string schemeName(InverseScheme scheme) {
  switch (scheme) {
    case InverseScheme::Soft:
    case InverseScheme::SoftNorm:
      return "released";
    case InverseScheme::Theorem:
      return "theorem";
    case InverseScheme::Backtracking:
      return "backtracking";
    case InverseScheme::PrintedBacktracking:
      return "backtracking-printed";
    case InverseScheme::Nystromformer:
      break;
  }
  return "nystromformer";
}

std::vector<InverseScheme> schemesFor(const std::string& mechanism) {
  const auto& bottleneck = traitsOf(mechanism).bottleneck;
  if (!bottleneck) return {};
  if (bottleneck->kernel == Mechanism::Bottleneck::Kernel::Softmax) return {bottleneck->inverse};
  return {bottleneck->inverse, InverseScheme::Theorem, InverseScheme::Backtracking,
          InverseScheme::PrintedBacktracking, InverseScheme::Nystromformer};
}

std::vector<InverseStart> startInverse(const std::vector<Matrix>& kernels, InverseScheme scheme) {
  std::vector<Eigen::MatrixXd> matrices;
  for (const Matrix& kernel : kernels) matrices.push_back(kernel.cast<double>());
  if (scheme == InverseScheme::SoftNorm) return startSoftNorm(matrices);
  std::vector<InverseStart> starts;
  for (const Eigen::MatrixXd& matrix : matrices) starts.push_back(startOne(matrix, scheme));
  return starts;
}

Eigen::MatrixXd nextInverse(const Eigen::MatrixXd& inverse, const Eigen::MatrixXd& matrix,
                            InverseScheme scheme) {
  return step(inverse, matrix, scheme);
}

Eigen::MatrixXf nextInverse(const Eigen::MatrixXf& inverse, const Eigen::MatrixXf& matrix,
                            InverseScheme scheme) {
  return step(inverse, matrix, scheme);
}

}  // namespace softscope
