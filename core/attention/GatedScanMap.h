#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

namespace softscope {

/// Gated linear attention in both directions ("ViG: Linear-complexity Visual Sequence Learning with
/// Gated Linear Attention", 2024). For j <= i,
///   A_ij = sum_c q_ic k_jc exp(f_(j+1)c + ... + f_ic),
/// and for j >= i the same with exp(b_ic + ... + b_(j-1)c), so that both count on the diagonal. The
/// logarithms f and b of the gates are at most 0. One matrix acts on all channels of a head. A row
/// or a column takes a sweep to each side, O(tokens d).
class GatedScanMap final : public ProductMap {
 public:
  struct Parts {
    MatrixStack query;     ///< q, [heads][tokens, d], with the scale
    MatrixStack key;       ///< k, [heads][tokens, d]
    MatrixStack forward;   ///< f, [heads][tokens, d]
    MatrixStack backward;  ///< b, [heads][tokens, d]
  };

  GatedScanMap(AttentionDescription description, Parts parts);

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  std::size_t bytes() const override;
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;

 private:
  Parts parts_;
};

}  // namespace softscope
