#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

namespace softscope {

/// True if a head of a map is a product of factors without negative entries, so that none of its
/// weights is negative. False for maps that are not factored, and if an entry is not a number.
bool hasPositiveFactors(const AttentionMap& map, int head);

/// Attention as a product L M R^T per head: SOFT's P A^+ P^T, Nyströmformer, Performer, Linformer,
/// SimA and the other linear mechanisms. A row costs O(keys r).
class FactoredMap final : public AttentionMap {
 public:
  /// `left` is [heads][queries, r], `middle` is [heads][r, r] or empty for the identity, and
  /// `right` is [heads][keys, r]; pass the same stack twice if the map is symmetric. The heads,
  /// queries and keys of the description are taken from them.
  FactoredMap(AttentionDescription description, MatrixStack left, MatrixStack middle,
              MatrixStack right);

  const MatrixStack& left() const { return left_; }
  const MatrixStack& middle() const { return middle_; }
  const MatrixStack& right() const { return right_; }
  /// True if L and R are the same matrix, as in SOFT.
  bool symmetricFactors() const { return left_.sharesMemoryWith(right_); }

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                  const Progress& progress = {}) const override;
  std::size_t bytes() const override;

 private:
  MatrixStack left_;
  MatrixStack middle_;
  MatrixStack right_;
};

}  // namespace softscope
