#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/ProductMap.h"

#include <vector>

namespace softscope {

/// Linear attention whose products are weighted by the blocks of both tokens:
/// A_ij = W[b(i), b(j)] q_i k_j^T ("MHLA: Restoring Expressivity of Linear Attention via
/// Token-Level Multi-Head", 2026). Its rank is that of the features times the number of blocks, but
/// a row costs O(keys d), and a product O(tokens d + blocks^2 d).
class BlockMixedMap final : public ProductMap {
 public:
  /// `query` and `key` are [heads][tokens, d], with the rows of the queries already divided;
  /// `weights` is W, [blocks, blocks], and `blocks` is b, [tokens].
  BlockMixedMap(AttentionDescription description, MatrixStack query, MatrixStack key,
                Matrix weights, std::vector<int> blocks);

  Vector row(int head, int query) const override;
  Vector column(int head, int key) const override;
  std::size_t bytes() const override;
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;

 private:
  /// Sums `x` times the features of each block's tokens, and mixes the sums: [blocks, d].
  Eigen::MatrixXd mixedSums(const MatrixStack::View& features, const Eigen::VectorXd& x,
                            const Eigen::MatrixXd& weights) const;
  Eigen::VectorXd product(const MatrixStack::View& features, const Eigen::MatrixXd& mixed) const;

  MatrixStack query_;
  MatrixStack key_;
  Matrix weights_;
  std::vector<int> blocks_;
};

}  // namespace softscope
