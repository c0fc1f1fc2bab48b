#include "core/analysis/LineMeasures.h"

#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/Mechanism.h"
#include "core/attention/RowBlocks.h"
#include "core/linalg/Decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softscope {
namespace {

/// One head's queries [queries, d] and keys [keys, d].
struct QueriesAndKeys {
  MatrixStack::View queries;
  MatrixStack::View keys;
};

std::optional<QueriesAndKeys> queriesAndKeys(const LayerInspection& layer, int head) {
  for (const AttentionMap* map : {layer.attention.get(), layer.exactKernel.get()}) {
    if (const auto* kernel = dynamic_cast<const KernelMap*>(map)) {
      return QueriesAndKeys{kernel->query()[head], kernel->key()[head]};
    }
  }
  const auto* factored = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (factored == nullptr || !factored->middle().empty()) return std::nullopt;
  const AttentionDescription& attention = factored->description();
  // The columns of factors to and from landmarks are no channels.
  if (attention.landmarks || traitsOf(attention.mechanism).hasOtherFactors) return std::nullopt;
  return QueriesAndKeys{factored->left()[head], factored->right()[head]};
}

std::optional<double> correlation(const Eigen::VectorXd& first, const Eigen::VectorXd& second) {
  // If one side does not vary, only the float32 rounding of the factors is left.
  constexpr double rounding = 1e-7;
  const Eigen::VectorXd a = first.array() - first.mean();
  const Eigen::VectorXd b = second.array() - second.mean();
  if (a.norm() <= rounding * first.norm() || b.norm() <= rounding * second.norm()) {
    return std::nullopt;
  }
  return a.dot(b) / (a.norm() * b.norm());
}

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

std::optional<LineCauses> lineCauses(const LayerInspection& layer, int head,
                                     const Eigen::VectorXd& columnMeans) {
  const auto vectors = queriesAndKeys(layer, head);
  if (!vectors || vectors->keys.rows() != columnMeans.size()) return std::nullopt;
  const Eigen::MatrixXd keys = vectors->keys.cast<double>();
  const Eigen::RowVectorXd shared = vectors->queries.cast<double>().colwise().mean();
  return LineCauses{correlation(columnMeans, keys.rowwise().norm()),
                    correlation(columnMeans, keys * shared.transpose())};
}

LineScores lineScores(const AttentionMap& map, int head, const Progress& progress) {
  map.checkHead(head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  return factored != nullptr ? factoredScores(*factored, head, progress)
                             : streamedScores(map, head, progress);
}

LineMeasures lineMeasures(const LayerInspection& layer, int head, const Progress& progress) {
  const LineScores scores = lineScores(*layer.attention, head, progress);
  LineMeasures measures{scores.raw, scores.centred, {}, {}};
  if (const auto causes = lineCauses(layer, head, scores.columnMeans)) {
    measures.keyNormCorrelation = causes->keyNorm;
    measures.queryDirectionCorrelation = causes->queryDirection;
  }
  return measures;
}

}  // namespace softscope
