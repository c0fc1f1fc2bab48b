#include "core/linalg/SpectralNorm.h"

#include "core/linalg/Decompositions.h"
#include "core/linalg/IterativeSpectrum.h"
#include "core/linalg/MatrixOperator.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace softscope
