#pragma once

#include "core/attention/AttentionMap.h"
#include "core/attention/MatrixStack.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace softscope {

/// Attention that is a function of one query and one key: softmax attention, and the exact Gaussian
/// kernel that SOFT approximates ("SOFT: Softmax-free Transformer with Linear Complexity", 2021,
/// arXiv 2110.11945). Rows are computed from Q and K on demand, at O(keys d) each.
class KernelMap final : public AttentionMap {
 public:
  enum class Kernel {
    Softmax,   ///< exp(scale q k^T), each row divided by its sum
    Gaussian,  ///< exp(-|q - k|^2 / 2), SOFT's Eq. 5
  };

  /// `query` is [heads][queries, d], `key` is [heads][keys, d]; the heads, queries and keys of the
  /// description are taken from them. `scale` is the scale of the softmax; the Gaussian kernel
  /// ignores it.
  KernelMap(AttentionDescription description, Kernel kernel, MatrixStack query, MatrixStack key,
            double scale);

  Kernel kernel() const { return kernel_; }
  const MatrixStack& query() const { return query_; }
  const MatrixStack& key() const { return key_; }
  double scale() const { return scale_; }

  Vector row(int head, int query) const override;
  /// A softmax column needs the sums of all rows: the first column of a head costs O(queries keys
  /// d), each further one O(queries d).
  Vector column(int head, int key) const override;
  /// False for a softmax whose rows are not yet summed, if summing them takes more than 5e7
  /// multiply-adds.
  bool columnsReady() const override;
  /// Computes the row sums of every head.
  void prepareColumns(const Progress& progress) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  std::size_t bytes() const override;

 private:
  struct RowSums {
    /// Held by the thread that computes the sums. (Not std::call_once, which libstdc++ leaves
    /// locked forever under the thread sanitizer if the call is cancelled.)
    std::mutex mutex;
    std::atomic<bool> computed = false;
    /// The logarithm of each row's sum of exponentials: [queries].
    Vector logarithms;
  };

  Vector exponents(int head, int query) const;
  /// Computes the logarithm of each row's sum: [queries]. Can be cancelled if `progress` is not
  /// null.
  Vector sumRows(int head, const Progress* progress) const;
  /// Returns the result of sumRows(), computed on first use.
  const Vector& logRowSums(int head, const Progress* progress = nullptr) const;

  Kernel kernel_;
  MatrixStack query_;
  MatrixStack key_;
  float scale_;
  mutable std::vector<RowSums> rowSums_;
};

}  // namespace softscope
