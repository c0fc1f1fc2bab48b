#include "core/analysis/spectrum/FactoredSpectrum.h"

#include "core/Error.h"
#include "core/Progress.h"
#include "core/attention/MatrixStack.h"
#include "core/linalg/Decompositions.h"
#include "core/linalg/MatrixSpectrum.h"
#include "core/linalg/SymmetricPart.h"
#include "core/linalg/TriangularFactor.h"

#include <Eigen/Core>

#include <algorithm>
#include <cassert>

namespace softscope {

namespace {

/// Returns X^T X in float64, [columns, columns], computed from strips of rows so that X is never
/// copied as a whole. Products of float32 numbers are exact in float64; only their sum is rounded.
Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress = {});

/// Returns X^T Y of two matrices with equally many rows, computed like gramMatrix().
Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress = {});

constexpr Eigen::Index stripRows = 256;

Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(matrix.cols(), matrix.cols());
  for (Eigen::Index first = 0; first < matrix.rows(); first += stripRows) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(stripRows, matrix.rows() - first);
    const Eigen::MatrixXd strip = matrix.middleRows(first, rows).cast<double>();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(strip.transpose());
  }
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  return gram;
}

Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress) {
  assert(x.rows() == y.rows());
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(x.cols(), y.cols());
  for (Eigen::Index first = 0; first < x.rows(); first += stripRows) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(stripRows, x.rows() - first);
    const Eigen::MatrixXd strip = x.middleRows(first, rows).cast<double>();
    product.noalias() += strip.transpose() * y.middleRows(first, rows).cast<double>();
  }
  return product;
}

Eigen::MatrixXd middleMatrix(const FactoredMap& map, int head) {
  if (map.middle().empty()) {
    return Eigen::MatrixXd::Identity(map.left().columns(), map.left().columns());
  }
  return map.middle()[head].cast<double>();
}

/// Returns the whole matrix, for maps with fewer tokens than their factors have columns.
Eigen::MatrixXd wholeProduct(const FactoredMap& map, int head) {
  return map.left()[head].cast<double>() * middleMatrix(map, head) *
         map.right()[head].cast<double>().transpose();
}

/// Returns a small symmetric matrix with the non-zero eigenvalues of L M L^T.
Eigen::MatrixXd symmetricReduction(const MatrixStack::View& left, const Eigen::MatrixXd& middle,
                                   const Progress& progress) {
  const Eigen::MatrixXd symmetric = symmetricPart(middle);
  if (!symmetric.allFinite()) {
    throw InspectionError("the attention has entries that are not finite, so it has no spectrum");
  }
  const auto [values, vectors] = decomposeSymmetric(symmetric);
  constexpr double rounding = 1e-14;
  if (values.minCoeff() >= -rounding * values.cwiseAbs().maxCoeff()) {
    // The eigenvalues of (L W)^T (L W) carry no more rounding than L and M themselves, and a Gram
    // matrix takes a quarter of a QR form's time.
    const Eigen::MatrixXd root = vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal();
    return root.transpose() * gramMatrix(left, progress) * root;
  }
  const Eigen::MatrixXd factor = triangularFactor(left, progress);
  return factor * symmetric * factor.transpose();
}

/// Adds to the caption's description that the values were found from the factors.
template <typename Values>
Values fromFactors(Values values) {
  values.method += ", from the factors";
  return values;
}

}  // namespace

Eigenvalues symmetricFactoredEigenvalues(const FactoredMap& map, int head,
                                         const Progress& progress) {
  const bool wide = map.left().columns() > map.left().rows();
  const Eigen::MatrixXd reduced =
      wide ? wholeProduct(map, head)
           : symmetricReduction(map.left()[head], middleMatrix(map, head), progress);
  return fromFactors(symmetricPartEigenvalues(reduced));
}

SpectrumValues factoredSingularValues(const FactoredMap& map, int head, const Progress& progress) {
  const Eigen::MatrixXd left = triangularFactor(map.left()[head], progress);
  const Eigen::MatrixXd right = triangularFactor(map.right()[head], progress);
  return fromFactors(singularValues(left * middleMatrix(map, head) * right.transpose()));
}

Eigenvalues factoredEigenvalues(const FactoredMap& map, int head, const SpectrumOptions& options,
                                const Progress& progress) {
  const bool wide = map.left().columns() > map.left().rows();
  const Eigen::MatrixXd reduced =
      wide ? wholeProduct(map, head)
           : Eigen::MatrixXd(middleMatrix(map, head) *
                             crossProduct(map.right()[head], map.left()[head], progress));
  return fromFactors(
      matrixEigenvalues(reduced, options.denseEigenvalueTokens, options.largest, progress));
}

}  // namespace softscope
