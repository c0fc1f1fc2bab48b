#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/SparseMap.h"

namespace softscope {

/// The matrix of a convolution of V with one k x k filter per head and zero padding: the row of
/// patch (i, j) holds filter entry (a, b) at patch (i + a - k/2, j + b - k/2), and zeros elsewhere.
/// (As usual in networks, the filter is not flipped.) A row costs O(keys), with k^2 non-zero
/// entries, and a product with a vector O(queries k^2); the matrix is never stored.
class StencilMap final : public SparseMap {
 public:
  /// `filters` is [heads][k, k] with odd k. The description's query grid is the grid of queries and
  /// keys, and its sizes follow from it. Throws InspectionError for filters with an even side, or
  /// if there is no grid.
  StencilMap(AttentionDescription description, MatrixStack filters);

  const MatrixStack& filters() const { return filters_; }

  Vector column(int head, int key) const override;
  std::size_t bytes() const override { return filters_.bytes(); }

 protected:
  /// Adds every key that the filter reaches from a query within the grid.
  void addEntries(int head, int query, Entries& entries) const override;

 private:
  TokenGrid grid() const { return *description().queryGrid; }

  MatrixStack filters_;
};

}  // namespace softscope
