#pragma once

#include "core/Matrix.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"
#include "core/attention/TokenGrid.h"

#include <atomic>
#include <mutex>
#include <optional>

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

/// Softmax attention whose scores have biases, or whose heads are mixed before or after the
/// softmax: A_h = c_h + sum_g M_hg softmax(sum_f L_gf s q_f k_f^T + B_g). CaiT's talking heads mix
/// twice ("Going deeper with Image Transformers", 2021, arXiv 2103.17239), ConViT's gate mixes a
/// softmax of contents with one of positions ("ConViT: Improving Vision Transformers with Soft
/// Convolutional Inductive Biases", 2021, arXiv 2103.10697), and BEiT adds B. A row is computed on
/// demand, at O(keys) for every channel of the heads that it mixes.
class MixedSoftmaxMap final : public AttentionMap {
 public:
  struct Parts {
    MatrixStack query;                                ///< [f][queries, d]
    MatrixStack key;                                  ///< [f][keys, d]
    double scale = 1;                                 ///< s
    std::optional<RelativeBias> bias = std::nullopt;  ///< B
    Matrix before = {};                               ///< L, [g, f]; empty for the identity
    Matrix after = {};                                ///< M, [heads, g]; empty for the identity
    Vector added = {};                                ///< c, [heads]; empty for zeros
  };

  MixedSoftmaxMap(AttentionDescription description, Parts parts);

  Vector row(int head, int query) const override;
  /// A column needs the sums of all rows under the softmax: the first column costs O(queries keys)
  /// for every channel, each further one O(queries).
  Vector column(int head, int key) const override;
  /// False if the rows are not yet summed and summing them takes more than 5e7 multiply-adds.
  bool columnsReady() const override;
  void prepareColumns(const Progress& progress) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  std::size_t bytes() const override;

 private:
  int softmaxes() const;
  bool isMixedInto(int head, int softmax) const;
  float shareOf(int head, int softmax) const;
  /// Returns what is under softmax `softmax` for one query: [keys].
  Vector scoresOfRow(int softmax, int query) const;
  Vector scoresOfColumn(int softmax, int key) const;
  const Matrix& logRowSums(const Progress* progress = nullptr) const;

  Parts parts_;
  mutable std::mutex mutex_;
  mutable std::atomic<bool> isSummed_ = false;
  /// The logarithm of each row's sum of exponentials: [g, queries].
  mutable Matrix logarithms_;
};

}  // namespace softscope
