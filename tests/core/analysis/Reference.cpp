#include "tests/core/analysis/Reference.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace softscope::test {

std::vector<double> denseSingularValues(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd values = Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
  return {values.begin(), values.end()};
}

std::vector<std::complex<double>> denseEigenvalues(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXcd values = matrix.eigenvalues();
  return {values.begin(), values.end()};
}

std::vector<double> denseEigenvalueMagnitudes(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd magnitudes = matrix.eigenvalues().cwiseAbs();
  std::vector<double> values(magnitudes.begin(), magnitudes.end());
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

double denseSpectralNorm(const Eigen::MatrixXd& matrix) {
  return denseSingularValues(matrix).front();
}

Eigen::MatrixXd denseInverse(const Eigen::MatrixXd& matrix) {
  return matrix.fullPivLu().inverse();
}

Eigen::MatrixXd wholeMatrix(const AttentionMap& map, int head) {
  Eigen::MatrixXd matrix(map.description().queries, map.description().keys);
  for (int query = 0; query < matrix.rows(); ++query) {
    matrix.row(query) = map.row(head, query).cast<double>().transpose();
  }
  return matrix;
}

double spectrumDifference(const std::vector<double>& actual, const std::vector<double>& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (actual.empty() || actual.size() > expected.size()) return infinite;
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = i < actual.size() ? actual[i] : 0;
    if (!std::isfinite(value)) return infinite;
    worst = std::max(worst, std::abs(value - expected[i]));
  }
  return worst / expected.front();
}

}  // namespace softscope::test
