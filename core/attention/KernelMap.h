#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace softscope {

/// Attention that is a function of a query and a key: softmax attention, and the exact Gaussian
/// kernel that SOFT approximates ("SOFT: Softmax-free Transformer with Linear Complexity", 2021,
/// arXiv 2110.11945). Rows are computed from Q and K when they are asked for, at O(keys d) each.
class KernelMap final : public AttentionMap {
 public:
  enum class Kernel {
    Softmax,   ///< exp(scale q k^T), each row divided by its sum
    Gaussian,  ///< exp(-|q - k|^2 / 2), SOFT's Eq. 5
  };

  /// `query` [heads][queries, d], `key` [heads][keys, d]; heads, queries and keys of the
  /// description are taken from them. `scale` is the softmax's; Gaussian ignores it.
  KernelMap(AttentionDescription description, Kernel kernel, MatrixStack query, MatrixStack key,
            double scale);

  Kernel kernel() const { return kernel_; }
  const MatrixStack& query() const { return query_; }
  const MatrixStack& key() const { return key_; }
  double scale() const { return scale_; }

  Vector row(int head, int query) const override;
  /// A softmax column needs every row's sum: the first one of a head costs O(queries keys d), the
  /// next O(queries d).
  Vector column(int head, int key) const override;
  /// False for a softmax until its rows are summed, if that takes more than 5e7 multiply-adds.
  bool columnsReady() const override;
  /// Sums the rows of every head.
  void prepareColumns(const Progress& progress) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  std::size_t bytes() const override;

 private:
  struct RowSums {
    /// Of whoever computes them. (Not std::call_once, which libstdc++ leaves locked for ever where
    /// threads are sanitized and the call is cancelled.)
    std::mutex mutex;
    std::atomic<bool> computed = false;
    /// log of each row's sum of exponentials.
    Vector logarithms;
  };

  Vector exponents(int head, int query) const;
  /// The logarithm of each row's sum: [queries]. May be cancelled, if `progress` is not null.
  Vector sumRows(int head, const Progress* progress) const;
  /// Those, computed the first time that they are asked for.
  const Vector& logRowSums(int head, const Progress* progress = nullptr) const;

  Kernel kernel_;
  MatrixStack query_;
  MatrixStack key_;
  float scale_;
  mutable std::vector<RowSums> rowSums_;
};

}  // namespace softscope
