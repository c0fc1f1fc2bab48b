#pragma once

#include "core/attention/ProductMap.h"

#include <vector>

namespace softscope {

/// A map of which few entries of a row are not zero. Everything but a column follows from these.
class SparseMap : public ProductMap {
 public:
  using ProductMap::ProductMap;

  /// Returns the number of keys that a query can see, such as those of its window without padding.
  int keysInside(int query) const;
  /// Returns the largest keysInside() of all queries.
  int mostKeysInside() const;

  Vector row(int head, int query) const override;
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override;
  Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                  const Progress& progress = {}) const override;
  Eigen::VectorXd times(int head, const Eigen::VectorXd& x) const override;
  Eigen::VectorXd transposedTimes(int head, const Eigen::VectorXd& y) const override;

 protected:
  /// Entries of one row: a weight for each of the keys.
  struct Entries {
    std::vector<int> keys;
    std::vector<float> weights;

    void add(int key, float weight) {
      keys.push_back(key);
      weights.push_back(weight);
    }
  };

  /// Adds the entries of a row that may differ from zero.
  virtual void addEntries(int head, int query, Entries& entries) const = 0;

 private:
  /// Calls visit(key, weight) for the entries of a row; `entries` is memory to use.
  template <typename Visit>
  void visitEntries(int head, int query, Entries& entries, Visit visit) const;
};

}  // namespace softscope
