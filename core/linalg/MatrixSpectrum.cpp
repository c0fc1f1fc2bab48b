#include "core/linalg/MatrixSpectrum.h"

#include "core/Error.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/IterativeSpectrum.h"
#include "core/linalg/MatrixOperator.h"
#include "core/linalg/SymmetricPart.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

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

SpectrumValues denseValues(std::vector<double> values, const Eigen::MatrixXd& matrix) {
  const int count = static_cast<int>(values.size());
  return {.values = std::move(values),
          .wanted = count,
          .all = true,
          .method = "dense, " + std::to_string(matrix.rows()) + " x " +
                    std::to_string(matrix.cols()) + ", float64"};
}

}  // namespace

std::vector<double> symmetricMagnitudes(const Eigen::MatrixXd& matrix) {
  checkFinite(matrix);
  return descending(symmetricEigenvalues(matrix).cwiseAbs());
}

SpectrumValues singularValues(const Eigen::MatrixXd& matrix) {
  checkFinite(matrix);
  if (symmetricButForRounding(matrix)) {
    return denseValues(symmetricMagnitudes(symmetricPart(matrix)), matrix);
  }
  return denseValues(descending(generalSingularValues(matrix)), matrix);
}

SpectrumValues eigenvalueMagnitudes(const Eigen::MatrixXd& matrix, int denseLimit, int largest,
                                    const Progress& progress) {
  checkFinite(matrix);
  if (symmetricButForRounding(matrix)) {
    return denseValues(symmetricMagnitudes(symmetricPart(matrix)), matrix);
  }
  if (matrix.rows() <= denseLimit) {
    if (const auto eigenvalues = generalEigenvalues(matrix)) {
      return denseValues(descending(eigenvalues->cwiseAbs()), matrix);
    }
  }
  return largestEigenvalueMagnitudes(MatrixOperator(matrix, progress), largest);
}

}  // namespace softscope
