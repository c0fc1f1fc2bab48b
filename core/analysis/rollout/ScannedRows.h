#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/AttentionMap.h"

#include <cstddef>

namespace softscope {

/// The rows of a map that a flow goes through: where the flow ends, head by head or for the largest
/// of all heads, and the properties of those rows.
class ScannedRows {
 public:
  /// Rows are shares of one if their sums are one to within this tolerance, and none of their
  /// weights is negative by more than rounding.
  static constexpr double sumTolerance = 1e-3;
  static constexpr double negativeTolerance = 1e-6;
  /// Memory limit for holding a map without factors, so that both products need only one pass over
  /// its rows.
  static constexpr std::size_t heldBytes = std::size_t{256} << 20;

  /// Goes through the rows of `map` whose query has a weight in `weights` [queries]. The arguments
  /// must outlive the object. Throws InspectionError for weights that are not finite, and may throw
  /// Cancelled.
  ScannedRows(const AttentionMap& map, const Eigen::VectorXd& weights, RolloutHeads fusion,
              const Progress& progress);

  /// Returns the number of parts: one for each head, or a single one for the largest of all heads.
  int parts() const { return static_cast<int>(seen_.cols()); }
  /// Return [keys] what flows to the keys, and [queries] what stays in place because its row
  /// attends to nothing, with the parts weighted by `partWeights`.
  Eigen::VectorXd seen(const Eigen::VectorXd& partWeights) const { return seen_ * partWeights; }
  Eigen::VectorXd kept(const Eigen::VectorXd& partWeights) const { return kept_ * partWeights; }

  bool areSharesOfOne() const;
  /// Returns the share of negative weights in the magnitudes of all.
  double negativeShare() const { return magnitude_ > 0 ? negative_ / magnitude_ : 0; }
  /// Returns the smallest |sum| of a row over its l1 norm.
  double leastSum() const { return leastSum_; }

 private:
  /// Calls visit(first row, rows) for the strips that the flow goes through.
  template <typename Visit>
  void forEachStrip(const Visit& visit) const;
  Matrix magnitudes(int head, int first, int rows);
  void scan(int head);
  void scanLargest();
  /// Multiplies without computing any row, if magnitudes are the weights themselves.
  void multiply(int head);
  void measure(double sum, double magnitude);
  void pass(const Matrix& magnitudes, int first, int part);

  const AttentionMap& map_;
  const Eigen::VectorXd& weights_;
  const Progress& progress_;
  Eigen::MatrixXd seen_;
  Eigen::MatrixXd kept_;
  double farthestFromOne_ = 0;
  double magnitude_ = 0;
  double negative_ = 0;
  double leastSum_ = 1;
};

}  // namespace softscope
