#include "core/linalg/GramMatrix.h"

#include <algorithm>
#include <cassert>

namespace softscope {

namespace {

constexpr Eigen::Index stripRows = 256;

}  // namespace

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

}  // namespace softscope
