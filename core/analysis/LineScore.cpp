#include "core/analysis/LineScore.h"

#include "core/attention/FactoredMap.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/TriangularFactor.h"

#include <algorithm>

namespace softscope {

namespace {

/// A matrix's variation about its mean, as sums of squares.
struct Variation {
  double mean = 0;
  double entries = 0;
  double ofColumnMeans = 0;  ///< queries * sum_j (mean_j - mean)^2
  double withinColumns = 0;  ///< sum_ij (a_ij - mean_j)^2

  std::optional<double> score() const {
    const double total = ofColumnMeans + withinColumns;
    // What is left of a constant matrix is float64's rounding.
    constexpr double rounding = 1e-12;
    if (total <= entries * (rounding * mean) * (rounding * mean)) return std::nullopt;
    return ofColumnMeans / total;
  }
};

Eigen::RowVectorXd meanRow(const MatrixStack::View& matrix) {
  return matrix.cast<double>().colwise().mean();
}

Variation variationOf(const FactoredMap& map, int head, const Progress& progress) {
  const auto left = map.left()[head];
  const auto right = map.right()[head];
  const Eigen::RowVectorXd leftMean = meanRow(left);
  const Eigen::RowVectorXd rightMean = meanRow(right);
  Eigen::MatrixXd middle = Eigen::MatrixXd::Identity(left.cols(), right.cols());
  if (!map.middle().empty()) middle = map.middle()[head].cast<double>();

  const Eigen::RowVectorXd weights = leftMean * middle;
  double ofColumnMeans = 0;
  for (Eigen::Index key = 0; key < right.rows(); ++key) {
    const double deviation = (right.row(key).cast<double>() - rightMean).dot(weights);
    ofColumnMeans += deviation * deviation;
  }
  // |Lc M R^T|^2 (Frobenius) with Lc and R replaced by their triangular factors.
  const Eigen::MatrixXd within = triangularFactor(left, leftMean, progress) * middle *
                                 triangularFactor(right, progress).transpose();
  return {.mean = weights.dot(rightMean),
          .entries = static_cast<double>(left.rows()) * static_cast<double>(right.rows()),
          .ofColumnMeans = static_cast<double>(left.rows()) * ofColumnMeans,
          .withinColumns = within.squaredNorm()};
}

Variation streamedVariation(const AttentionMap& map, int head, const Progress& progress) {
  const int queries = map.description().queries;
  const int keys = map.description().keys;
  // Sums of differences to the first row, which is near every row where cancellation threatens.
  const Eigen::RowVectorXd origin = map.row(head, 0).transpose().cast<double>();
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(keys);
  double squares = 0;
  forEachRowBlock(map, head, progress, [&](int, const Matrix& rows) {
    const Eigen::MatrixXd differences = rows.cast<double>().rowwise() - origin;
    sums += differences.colwise().sum();
    squares += differences.squaredNorm();
  });
  const Eigen::RowVectorXd shifts = sums / queries;
  const Eigen::RowVectorXd columnMeans = origin + shifts;
  const double mean = columnMeans.mean();
  return {.mean = mean,
          .entries = static_cast<double>(queries) * keys,
          .ofColumnMeans = queries * (columnMeans.array() - mean).square().sum(),
          .withinColumns = std::max(0.0, squares - queries * shifts.squaredNorm())};
}

}  // namespace

std::optional<double> lineScore(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  return (factored != nullptr ? variationOf(*factored, head, progress)
                              : streamedVariation(map, head, progress))
      .score();
}

}  // namespace softscope
