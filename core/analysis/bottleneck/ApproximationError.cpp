#include "core/analysis/bottleneck/ApproximationError.h"

#include "core/Error.h"
#include "core/attention/RowBlocks.h"

#include <algorithm>
#include <cmath>

namespace softscope {

ApproximationError approximationError(const AttentionMap& exact, const AttentionMap& approximation,
                                      int head, const Progress& progress) {
  const int queries = exact.description().queries;
  const int keys = exact.description().keys;
  if (queries != approximation.description().queries || keys != approximation.description().keys) {
    throw InspectionError("attention maps of different sizes cannot be compared entry by entry");
  }
  ApproximationError error;
  double differenceSquares = 0;
  double squares = 0;
  double approximationSquares = 0;
  double product = 0;
  forEachRowBlock(exact, head, progress, [&](int first, const Matrix& rows) {
    progress.report(static_cast<double>(first) / queries, "Comparing with the exact kernel");
    const int count = static_cast<int>(rows.rows());
    const Eigen::MatrixXd expected = rows.cast<double>();
    const Eigen::MatrixXd actual = approximation.block(head, first, 0, count, keys).cast<double>();
    const Eigen::MatrixXd difference = actual - expected;
    approximationSquares += actual.squaredNorm();
    product += actual.cwiseProduct(difference).sum();
    differenceSquares += difference.squaredNorm();
    squares += expected.squaredNorm();
    Eigen::Index row = 0;
    Eigen::Index column = 0;
    const double largest = difference.cwiseAbs().maxCoeff(&row, &column);
    if (largest > error.largest) {
      error.largest = largest;
      error.query = first + static_cast<int>(row);
      error.key = static_cast<int>(column);
    }
  });
  error.relativeFrobenius = std::sqrt(differenceSquares / squares);
  // |S' - S|^2 less its part along S', which a scale factor can remove.
  const double along = approximationSquares > 0 ? product * product / approximationSquares : 0;
  const double rest = approximationSquares > 0 ? std::max(0.0, differenceSquares - along) : squares;
  error.rescaledFrobenius = std::sqrt(rest / squares);
  return error;
}

}  // namespace softscope
