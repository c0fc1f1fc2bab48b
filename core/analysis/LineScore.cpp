#include "core/analysis/LineScore.h"

#include "core/attention/FactoredMap.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/TriangularFactor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {

namespace {

/// A matrix's variation about its mean, as the sums of squares of three mutually orthogonal parts.
struct Variation {
  double mean = 0;
  double entries = 0;
  double ofColumnMeans = 0;  ///< queries * sum_j (mean_j - mean)^2
  double ofRowMeans = 0;     ///< keys * sum_i (mean_i - mean)^2
  double ofTheRest = 0;      ///< sum_ij (a_ij - mean_i - mean_j + mean)^2

  /// Returns the share of the column means in `total`; empty if `total` is only float64 rounding,
  /// and NaN if an entry is not finite.
  std::optional<double> share(double total) const {
    constexpr double rounding = 1e-12;
    if (!std::isfinite(mean) || !std::isfinite(total)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (total <= entries * (rounding * mean) * (rounding * mean)) return std::nullopt;
    return ofColumnMeans / total;
  }
};

LineScores scoresOf(const Variation& variation, Eigen::VectorXd columnMeans) {
  // A single row equals its column means, which therefore explain all of it.
  if (variation.entries < 2 * static_cast<double>(columnMeans.size())) {
    return {std::nullopt, std::nullopt, std::move(columnMeans)};
  }
  const double centred = variation.ofColumnMeans + variation.ofTheRest;
  return {variation.share(centred + variation.ofRowMeans), variation.share(centred),
          std::move(columnMeans)};
}

Eigen::RowVectorXd meanRow(const MatrixStack::View& matrix) {
  return matrix.cast<double>().colwise().mean();
}

/// Returns (X - mean) weights, computed row by row.
Eigen::VectorXd deviations(const MatrixStack::View& matrix, const Eigen::RowVectorXd& mean,
                           const Eigen::RowVectorXd& weights) {
  Eigen::VectorXd result(matrix.rows());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    result[i] = (matrix.row(i).cast<double>() - mean).dot(weights);
  }
  return result;
}

LineScores factoredScores(const FactoredMap& map, int head, const Progress& progress) {
  const auto left = map.left()[head];
  const auto right = map.right()[head];
  const Eigen::RowVectorXd leftMean = meanRow(left);
  const Eigen::RowVectorXd rightMean = meanRow(right);
  Eigen::MatrixXd middle = Eigen::MatrixXd::Identity(left.cols(), right.cols());
  if (!map.middle().empty()) middle = map.middle()[head].cast<double>();

  const Eigen::RowVectorXd ofKeys = leftMean * middle;
  const Eigen::RowVectorXd ofQueries = rightMean * middle.transpose();
  const Eigen::VectorXd columns = deviations(right, rightMean, ofKeys);
  const Eigen::VectorXd rows = deviations(left, leftMean, ofQueries);
  // |Lc M Rc^T|^2 (Frobenius norm), with both factors centred and replaced by their triangular
  // factors.
  const Eigen::MatrixXd rest = triangularFactor(left, leftMean, progress) * middle *
                               triangularFactor(right, rightMean, progress).transpose();
  const Variation variation{
      .mean = ofKeys.dot(rightMean),
      .entries = static_cast<double>(left.rows()) * static_cast<double>(right.rows()),
      .ofColumnMeans = static_cast<double>(left.rows()) * columns.squaredNorm(),
      .ofRowMeans = static_cast<double>(right.rows()) * rows.squaredNorm(),
      .ofTheRest = rest.squaredNorm()};
  return scoresOf(variation, columns.array() + variation.mean);
}

LineScores streamedScores(const AttentionMap& map, int head, const Progress& progress) {
  const int queries = map.description().queries;
  const int keys = map.description().keys;
  // Sum differences from the first row, which is close to every row where cancellation threatens.
  const Eigen::RowVectorXd origin = map.row(head, 0).transpose().cast<double>();
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(keys);
  Eigen::VectorXd rowShifts(queries);
  double squares = 0;
  forEachRowBlock(map, head, progress, [&](int first, const Matrix& rows) {
    Eigen::MatrixXd differences = rows.cast<double>().rowwise() - origin;
    const Eigen::VectorXd shifts = differences.rowwise().mean();
    rowShifts.segment(first, shifts.size()) = shifts;
    differences.colwise() -= shifts;
    sums += differences.colwise().sum();
    squares += differences.squaredNorm();
  });
  const Eigen::RowVectorXd columnShifts = sums / queries;
  const double rowShift = rowShifts.mean();
  const Eigen::VectorXd columnMeans = (origin + columnShifts).array() + rowShift;
  const double mean = columnMeans.mean();
  const Variation variation{
      .mean = mean,
      .entries = static_cast<double>(queries) * keys,
      .ofColumnMeans = queries * (columnMeans.array() - mean).square().sum(),
      .ofRowMeans = keys * (rowShifts.array() - rowShift).square().sum(),
      .ofTheRest = std::max(0.0, squares - queries * columnShifts.squaredNorm())};
  return scoresOf(variation, columnMeans);
}

}  // namespace

LineScores lineScores(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  return factored != nullptr ? factoredScores(*factored, head, progress)
                             : streamedScores(map, head, progress);
}

}  // namespace softscope
