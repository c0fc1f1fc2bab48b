#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/IterativeSpectrum.h"

#include <cstddef>

namespace softscope {

/// One head of a map as a linear operator, summed in float64. A matrix that fits in `budgetBytes`
/// is computed once and held as float32 while the operator lives; a larger one is computed anew,
/// rows at a time, for every product.
class MapOperator final : public LinearOperator {
 public:
  MapOperator(const AttentionMap& map, int head, std::size_t budgetBytes, const Progress& progress);

  int rows() const override { return map_.description().queries; }
  int columns() const override { return map_.description().keys; }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override;

 private:
  /// Calls visit(firstRow, rows) until every row was seen.
  template <typename Visit>
  void forEachBlock(Visit visit) const;

  const AttentionMap& map_;
  int head_;
  const Progress& progress_;
  Matrix held_;
};

}  // namespace softscope
