#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

namespace softscope {

/// The matrix of a convolution of V with one k x k filter per head and zero padding: the row of
/// patch (i, j) holds filter entry (a, b) at patch (i + a - k/2, j + b - k/2), and zeros elsewhere.
/// (As usual in networks, the filter is not flipped.) A row costs O(keys), with k^2 non-zero
/// entries; the matrix is never stored.
class StencilMap final : public ProductMap {
 public:
  /// `filters` is [heads][k, k] with odd k. The description's query grid is the grid of queries and
  /// keys, and its sizes follow from it. Throws InspectionError for filters with an even side, or
  /// if there is no grid.
  StencilMap(AttentionDescription description, MatrixStack filters);

  const MatrixStack& filters() const { return filters_; }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  /// Averages only the non-zero entries: O(queries k^2).
  Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                  const Progress& progress = {}) const override;
  std::size_t bytes() const override { return filters_.bytes(); }

  /// Convolves: O(queries k^2).
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;

 private:
  TokenGrid grid() const { return *description().queryGrid; }
  /// Calls visit(key, weight) for every key that the filter reaches from a query within the grid.
  template <typename Visit>
  void forEachKey(int head, int query, Visit visit) const;

  MatrixStack filters_;
};

}  // namespace softscope
