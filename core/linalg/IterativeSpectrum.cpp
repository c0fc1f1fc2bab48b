#include "core/linalg/IterativeSpectrum.h"

#include <Spectra/GenEigsSolver.h>
#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace softscope {

namespace {

using Product = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

/// A square matrix plus a multiple of the identity, in the form that Spectra expects.
class ShiftedProduct {
 public:
  using Scalar = double;

  ShiftedProduct(int size, Product product, double shift)
      : size_(size), product_(std::move(product)), shift_(shift) {}

  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void perform_op(const double* in, double* out) const {
    const Eigen::Map<const Eigen::VectorXd> x(in, size_);
    Eigen::Map<Eigen::VectorXd>(out, size_) = product_(x) + shift_ * x;
  }

 private:
  Eigen::Index size_;
  Product product_;
  double shift_;
};

constexpr int mostRestarts = 60;

/// Returns the dimension of the Krylov space in which to look for `count` values.
int krylovSize(int size, int count) {
  return std::min(size, std::max(2 * count + 1, 20));
}

std::string methodText(const std::string& name, std::size_t converged, int wanted) {
  const std::string largest = std::to_string(wanted) + " largest, " + name + ", float64";
  if (static_cast<int>(converged) == wanted) return "the " + largest;
  return std::to_string(converged) + " converged of the " + largest;
}

/// Returns a scale to measure errors against: near the largest eigenvalue of a semidefinite matrix,
/// never above it.
double roughNorm(int size, const Product& product) {
  Eigen::VectorXd x =
      Eigen::VectorXd::NullaryExpr(size, [](Eigen::Index i) { return 1 + 0.5 * std::sin(i); });
  double norm = 0;
  for (int step = 0; step < 6; ++step) {
    x = product(x.normalized());
    norm = x.norm();
    if (norm == 0) break;
  }
  return norm;
}

SpectrumValues semidefiniteValues(int size, const Product& product, int count,
                                  const std::string& name) {
  SpectrumValues result;
  result.wanted = std::min(count, size - 1);
  result.all = false;
  // Spectra measures errors relative to each value, and would never finish with those that are
  // zero. Shifted away from zero, they converge like the others.
  const double shift = 0.01 * roughNorm(size, product);
  ShiftedProduct shifted(size, product, shift);
  Spectra::SymEigsSolver<ShiftedProduct> solver(shifted, result.wanted,
                                                krylovSize(size, result.wanted));
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, mostRestarts, 1e-10);
  for (const double value : solver.eigenvalues()) {
    result.values.push_back(std::max(0.0, value - shift));
  }
  result.method = methodText(name, result.values.size(), result.wanted);
  return result;
}

}  // namespace

Eigenvalues largestSemidefiniteValues(const LinearOperator& matrix, int count) {
  const auto product = [&](const Eigen::VectorXd& x) { return matrix.times(x); };
  const SpectrumValues found = semidefiniteValues(matrix.rows(), product, count, "Lanczos");
  Eigenvalues eigenvalues =
      sortedEigenvalues({found.values.begin(), found.values.end()}, matrix.rows());
  static_cast<SpectrumValues&>(eigenvalues) = found;
  eigenvalues.symmetric = true;
  return eigenvalues;
}

SpectrumValues largestSingularValues(const LinearOperator& matrix, int count) {
  const bool wide = matrix.rows() < matrix.columns();
  const auto product = [&](const Eigen::VectorXd& x) {
    return wide ? matrix.times(matrix.transposedTimes(x)) : matrix.transposedTimes(matrix.times(x));
  };
  SpectrumValues squares =
      semidefiniteValues(std::min(matrix.rows(), matrix.columns()), product, count,
                         wide ? "Lanczos on S S^T" : "Lanczos on S^T S");
  for (double& value : squares.values) value = std::sqrt(value);
  return squares;
}

Eigenvalues largestEigenvalues(const LinearOperator& matrix, int count) {
  const int wanted = std::min(count, matrix.rows() - 2);
  ShiftedProduct product(
      matrix.rows(), [&](const Eigen::VectorXd& x) { return matrix.times(x); }, 0);
  Spectra::GenEigsSolver<ShiftedProduct> solver(product, wanted, krylovSize(matrix.rows(), wanted));
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, mostRestarts, 1e-8);
  const Eigen::VectorXcd found = solver.eigenvalues();
  Eigenvalues result = sortedEigenvalues({found.begin(), found.end()}, matrix.rows());
  result.wanted = wanted;
  result.all = false;
  result.method = methodText("Arnoldi", result.values.size(), result.wanted);
  return result;
}

}  // namespace softscope
