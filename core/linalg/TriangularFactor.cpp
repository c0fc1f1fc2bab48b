#include "core/linalg/Decompositions.h"

#include <Eigen/QR>

#include <algorithm>

namespace softscope {

Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Progress& progress) {
  return triangularFactor(matrix, Eigen::RowVectorXd::Zero(matrix.cols()), progress);
}

Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Eigen::RowVectorXd& offset,
                                 const Progress& progress) {
  const Eigen::Index columns = matrix.cols();
  // Strips are tall, so that carrying R along costs little.
  const Eigen::Index stripRows = std::max<Eigen::Index>(1024, 4 * columns);
  Eigen::MatrixXd factor(0, columns);
  for (Eigen::Index first = 0; first < matrix.rows(); first += stripRows) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(stripRows, matrix.rows() - first);
    Eigen::MatrixXd stacked(factor.rows() + rows, columns);
    stacked.topRows(factor.rows()) = factor;
    stacked.bottomRows(rows) = matrix.middleRows(first, rows).cast<double>().rowwise() - offset;
    const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> reduced(stacked);
    factor = reduced.matrixQR()
                 .topRows(std::min(stacked.rows(), columns))
                 .template triangularView<Eigen::Upper>();
  }
  return factor;
}

}  // namespace softscope
