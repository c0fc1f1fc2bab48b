#include "core/linalg/MatrixSpectrum.h"

#include "core/Error.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/IterativeSpectrum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace softscope {

double spectralNorm(const Eigen::MatrixXd& matrix, const Progress& progress) {
  if (!matrix.allFinite()) return std::numeric_limits<double>::infinity();
  const double scale = matrix.size() == 0 ? 0 : matrix.cwiseAbs().maxCoeff();
  if (scale == 0) return 0;
  constexpr Eigen::Index denseLimit = 192;
  const Eigen::MatrixXd scaled = matrix / scale;
  if (std::min(matrix.rows(), matrix.cols()) > denseLimit) {
    const SpectrumValues largest = largestSingularValues(MatrixOperator(scaled, progress), 1);
    if (largest.converged()) return scale * largest.values.front();
  }
  const Eigen::MatrixXd gram = matrix.rows() < matrix.cols()
                                   ? Eigen::MatrixXd(scaled * scaled.transpose())
                                   : Eigen::MatrixXd(scaled.transpose() * scaled);
  return scale * std::sqrt(std::max(0.0, symmetricEigenvalues(gram).maxCoeff()));
}

namespace {

void checkFinite(const Eigen::MatrixXd& matrix) {
  if (!matrix.allFinite()) {
    throw InspectionError("the matrix has entries that are not finite, so it has no spectrum");
  }
}

std::vector<double> descending(const Eigen::VectorXd& magnitudes) {
  std::vector<double> values(magnitudes.begin(), magnitudes.end());
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

/// Records that all values of a matrix were found, and how.
template <typename Values>
Values foundDensely(Values values, const Eigen::MatrixXd& matrix) {
  values.wanted = static_cast<int>(values.values.size());
  values.all = true;
  values.method = "dense, " + std::to_string(matrix.rows()) + " x " +
                  std::to_string(matrix.cols()) + ", float64";
  return values;
}

/// True if an order of rows and columns makes a square matrix triangular, as the order of a scan
/// does: taking away, again and again, the rows whose other entries are all zero takes all.
bool isTriangularInSomeOrder(const Eigen::MatrixXd& matrix) {
  const Eigen::Index size = matrix.rows();
  std::vector<Eigen::Index> others(static_cast<std::size_t>(size));  // non-zero entries of each row
  Eigen::Index entries = 0;
  for (Eigen::Index column = 0; column < size; ++column) {
    for (Eigen::Index row = 0; row < size; ++row) {
      if (row == column || matrix(row, column) == 0) continue;
      ++others[static_cast<std::size_t>(row)];
      ++entries;
    }
  }
  if (entries > size * (size - 1) / 2) return false;
  std::vector<Eigen::Index> alone;
  for (Eigen::Index row = 0; row < size; ++row) {
    if (others[static_cast<std::size_t>(row)] == 0) alone.push_back(row);
  }
  Eigen::Index taken = 0;
  while (!alone.empty()) {
    const Eigen::Index column = alone.back();
    alone.pop_back();
    ++taken;
    for (Eigen::Index row = 0; row < size; ++row) {
      if (row == column || matrix(row, column) == 0) continue;
      if (--others[static_cast<std::size_t>(row)] == 0) alone.push_back(row);
    }
  }
  return taken == size;
}

/// Builds Eigenvalues from all eigenvalues, real or complex, in any order.
template <typename Vector>
Eigenvalues denseEigenvalues(const Vector& values, const Eigen::MatrixXd& matrix) {
  return foundDensely(
      sortedEigenvalues({values.begin(), values.end()}, static_cast<int>(matrix.rows())), matrix);
}

}  // namespace

SpectrumValues singularValues(const Eigen::MatrixXd& matrix) {
  checkFinite(matrix);
  if (symmetricButForRounding(matrix)) {
    const Eigen::VectorXd magnitudes = symmetricEigenvalues(symmetricPart(matrix)).cwiseAbs();
    return foundDensely(SpectrumValues{.values = descending(magnitudes)}, matrix);
  }
  return foundDensely(SpectrumValues{.values = descending(generalSingularValues(matrix))}, matrix);
}

Eigenvalues matrixEigenvalues(const Eigen::MatrixXd& matrix, int denseLimit, int largest,
                              const Progress& progress) {
  checkFinite(matrix);
  if (symmetricButForRounding(matrix)) return symmetricPartEigenvalues(matrix);
  if (isTriangularInSomeOrder(matrix)) return triangularEigenvalues(matrix.diagonal());
  if (matrix.rows() <= denseLimit) {
    if (const auto eigenvalues = generalEigenvalues(matrix)) {
      return denseEigenvalues(*eigenvalues, matrix);
    }
  }
  return largestEigenvalues(MatrixOperator(matrix, progress), largest);
}

Eigenvalues triangularEigenvalues(const Eigen::VectorXd& diagonal) {
  // Each is an entry, whose own rounding is all that blurs it.
  Eigenvalues eigenvalues = sortedEigenvalues({diagonal.begin(), diagonal.end()}, 1);
  eigenvalues.wanted = static_cast<int>(diagonal.size());
  eigenvalues.method = "eigenvalues: the diagonal of a triangular matrix";
  return eigenvalues;
}

Eigenvalues symmetricPartEigenvalues(const Eigen::MatrixXd& matrix) {
  checkFinite(matrix);
  Eigenvalues eigenvalues = denseEigenvalues(symmetricEigenvalues(symmetricPart(matrix)), matrix);
  eigenvalues.symmetric = true;
  return eigenvalues;
}

}  // namespace softscope
