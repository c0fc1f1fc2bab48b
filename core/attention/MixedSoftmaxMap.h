#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"
#include "core/attention/RelativeBias.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace softscope {

/// Softmax attention whose scores have biases, or whose heads are mixed before or after the
/// softmax: A_h = c_h + sum_g M_hg softmax(sum_f L_gf s q_f k_f^T + B_g). CaiT's talking heads mix
/// twice
/// ("Going deeper with Image Transformers", 2021, arXiv 2103.17239), ConViT's gate mixes a softmax
/// of contents with one of positions ("ConViT: Improving Vision Transformers with Soft
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
