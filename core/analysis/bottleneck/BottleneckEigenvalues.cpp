#include "core/analysis/bottleneck/BottleneckEigenvalues.h"

#include "core/Error.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/SymmetricPart.h"

#include <algorithm>
#include <optional>

namespace softscope {

namespace {

std::vector<std::complex<double>> sorted(std::vector<std::complex<double>> eigenvalues) {
  std::sort(eigenvalues.begin(), eigenvalues.end(),
            [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return eigenvalues;
}

std::vector<std::complex<double>> eigenvaluesOf(const Eigen::MatrixXd& matrix) {
  if (symmetricButForRounding(matrix)) {
    const Eigen::VectorXd eigenvalues = symmetricEigenvalues(symmetricPart(matrix));
    return sorted({eigenvalues.begin(), eigenvalues.end()});
  }
  const std::optional<Eigen::VectorXcd> eigenvalues = generalEigenvalues(matrix);
  if (!eigenvalues) {
    throw InspectionError("the eigenvalues of the bottleneck matrix did not converge");
  }
  return sorted({eigenvalues->begin(), eigenvalues->end()});
}

}  // namespace

BottleneckEigenvalues bottleneckEigenvalues(const Matrix& kernel) {
  const Eigen::MatrixXd matrix = kernel.cast<double>();
  const Eigen::VectorXd rowSums = matrix.rowwise().sum();
  if (!matrix.allFinite() || (rowSums.array() <= 0).any()) {
    throw InspectionError(
        "the bottleneck matrix has entries that are not finite, or rows that do not sum to "
        "something positive, so D^-1 A is not defined");
  }
  // D^-1/2 A D^-1/2 has the eigenvalues of D^-1 A, and is symmetric if A is.
  const Eigen::VectorXd scale = rowSums.cwiseSqrt().cwiseInverse();
  return {.ofKernel = eigenvaluesOf(matrix),
          .ofNormalised = eigenvaluesOf(scale.asDiagonal() * matrix * scale.asDiagonal())};
}

int countNearOne(const std::vector<std::complex<double>>& eigenvalues, double tolerance) {
  return static_cast<int>(
      std::count_if(eigenvalues.begin(), eigenvalues.end(),
                    [&](const auto& value) { return std::abs(value - 1.0) <= tolerance; }));
}

}  // namespace softscope
