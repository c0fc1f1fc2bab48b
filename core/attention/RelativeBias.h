#pragma once

#include "core/Matrix.h"
#include "core/attention/TokenGrid.h"

namespace softscope {

/// A bias for every pair of tokens that depends on their distance alone, as BEiT adds it to the
/// scores ("BEiT: BERT Pre-Training of Image Transformers", 2021, arXiv 2106.08254). Entry (y + H -
/// 1) (2 W - 1) + x + W - 1 of a head's table is that of a query y rows below and x columns right
/// of its key on a grid of H x W. If a class token precedes the patches, three more entries are
/// those of the class token to patches, of patches to it, and of it to itself.
class RelativeBias {
 public:
  /// `tables` is [heads, entries]; minus infinity excludes a pair. Throws InspectionError if the
  /// number of entries does not fit the grid.
  RelativeBias(Matrix tables, const TokenGrid& grid, int prefixTokens);

  /// Adds the biases of one query to its scores [keys].
  void addToRow(int head, int query, Eigen::Ref<Vector> scores) const;
  /// Adds the biases of one key to its scores [queries].
  void addToColumn(int head, int key, Eigen::Ref<Vector> scores) const;
  std::size_t bytes() const { return sizeof(float) * static_cast<std::size_t>(tables_.size()); }

 private:
  float between(int head, int query, int key) const;

  Matrix tables_;
  TokenGrid grid_;
  int prefixTokens_;
};

}  // namespace softscope
