#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/IterativeSpectrum.h"

#include <cstddef>
#include <memory>

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

/// Returns the cheapest product of one head of a map: factors multiply in turn, a ProductMap
/// multiplies by itself, a sum adds the products of its two terms; any other map becomes a
/// MapOperator, which holds at most `budgetBytes`. Map and progress must outlive the product, which
/// may throw Cancelled.
std::unique_ptr<LinearOperator> mapProduct(const AttentionMap& map, int head,
                                           std::size_t budgetBytes, const Progress& progress);

}  // namespace softscope
