#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

namespace softscope {

/// A convolution of V with one k x k filter per head and zeros around the grid, as the matrix that
/// it is: the row of patch (i, j) holds filter entry (a, b) at patch (i + a - k/2, j + b - k/2),
/// and nothing else. (As networks mean it: the filter is not flipped.) A row costs O(keys), of
/// which k^2 are not zero; the matrix is never stored.
class StencilMap final : public AttentionMap {
 public:
  /// `filters` [heads][k, k], k odd. The description's query grid is the grid, and its keys'; its
  /// sizes follow from both. Throws InspectionError for filters of even sides and without a grid.
  StencilMap(AttentionDescription description, MatrixStack filters);

  const MatrixStack& filters() const { return filters_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  /// From the entries that are not zero: O(queries k^2).
  Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                  const Progress& progress = {}) const override;
  std::size_t bytes() const override { return filters_.bytes(); }

  /// The product with a vector [keys], which is its convolution, and of the transposed matrix with
  /// one of [queries]: O(queries k^2) each, in float64.
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const;

 private:
  TokenGrid grid() const { return *description().queryGrid; }
  /// Calls visit(key, weight) for every key of a query within the grid.
  template <typename Visit>
  void forEachKey(int head, int query, Visit visit) const;

  MatrixStack filters_;
};

}  // namespace softscope
