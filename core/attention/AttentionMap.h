#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/attention/MatrixPart.h"
#include "core/attention/TokenGrid.h"
#include "core/attention/TokenPlaces.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class Progress;

/// What one layer's attention is: everything about it except its numbers.
struct AttentionDescription {
  /// `soft`, `soft++`, `gaussian`, `softmax`, ...: the name of one of mechanisms(), or any that a
  /// recording gives its own.
  std::string mechanism;
  int heads = 0;
  /// Rows and columns of each head's matrix, prefix tokens included.
  int queries = 0;
  int keys = 0;
  /// How queries and keys lie on the picture; none where they are not patches (channels, a class
  /// token alone).
  std::optional<TokenGrid> queryGrid;
  std::optional<TokenGrid> keyGrid;
  /// Where queries and keys lie that have no grid, but places of their own; null for all others.
  std::shared_ptr<const TokenPlaces> queryPlaces;
  std::shared_ptr<const TokenPlaces> keyPlaces;
  /// Class token, distillation token and registers that stand before the patches.
  int prefixTokens = 0;
  /// What they are called, `register 2`; empty where they are the first two of these.
  std::vector<std::string> prefixNames = {};
  /// Columns of the bottleneck, and how they lie on the picture.
  std::optional<int> landmarks;
  std::optional<TokenGrid> landmarkGrid;
  /// The patches that each landmark is the mean of, where landmarks are not as trained; else empty.
  std::vector<std::vector<int>> landmarkTokens;
  /// Numbers the mechanism's formula needs, by the paper's name for them.
  std::map<std::string, double> parameters;
  /// A convolution of V with a filter of its own for each channel is added to A V. No matrix on V
  /// is that, unless there is one for each channel.
  bool filtersChannels = false;
  /// What the heads make of V is multiplied by a gate, entry by entry, before it is projected.
  bool gated = false;
};

/// One layer's attention: per head an implicit queries x keys matrix, the one that multiplies V.
///
/// Nothing of size queries x keys is allocated unless block() or whole() is asked for it. All
/// numbers live in host memory; every method is const, safe to call from several threads, and
/// plain Eigen, so that a row may be looked up where a mouse event is handled.
class AttentionMap {
 public:
  explicit AttentionMap(AttentionDescription description);
  /// A map whose sizes are those of its numbers, whatever the description says.
  AttentionMap(AttentionDescription description, int heads, int queries, int keys);
  virtual ~AttentionMap() = default;
  AttentionMap(const AttentionMap&) = delete;
  AttentionMap& operator=(const AttentionMap&) = delete;

  const AttentionDescription& description() const { return description_; }

  /// What query `query` attends to: [keys]. Throws InspectionError if out of range, as do all.
  virtual Vector row(int head, int query) const = 0;
  /// Who attends to key `key`: [queries].
  virtual Vector column(int head, int key) const = 0;
  /// Whether column() answers within a frame. Where it does not, prepareColumns() first, where
  /// there is time to wait: every column is quick from then on.
  virtual bool columnsReady() const { return true; }
  /// Throws Cancelled.
  virtual void prepareColumns(const Progress&) const {}
  /// Entries [firstRow, firstRow + rows) x [firstColumn, firstColumn + columns).
  virtual Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const = 0;
  /// A part of the matrix, averaged over even areas so that it has at most `maxRows` x
  /// `maxColumns` entries; never enlarged. Factored maps average their factors, O(n r); others
  /// stream the part's rows, and may throw Cancelled between them.
  virtual Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                          const Progress& progress = {}) const;
  /// The whole matrix averaged so that neither side exceeds `maxSide`.
  Matrix downsampled(int head, int maxSide) const;
  /// Bytes this map holds.
  virtual std::size_t bytes() const = 0;

  /// The whole matrix of a head, if it fits in `budgetBytes`; otherwise throws InspectionError
  /// naming both sizes.
  Matrix whole(int head, std::size_t budgetBytes) const;

  /// All rows and columns.
  MatrixPart wholePart() const { return {0, 0, description_.queries, description_.keys}; }

  /// Where area `index` of `areas` begins when `length` entries are split evenly. averaged()
  /// averages over [areaBegin(i), areaBegin(i + 1)) from the part's first entry on.
  static int areaBegin(int index, int areas, int length);

  /// Throws InspectionError if there is no such head.
  void checkHead(int head) const;

 protected:
  void checkQuery(int head, int query) const;
  void checkKey(int head, int key) const;
  void checkBlock(int head, int firstRow, int firstColumn, int rows, int columns) const;

 private:
  AttentionDescription description_;
};

}  // namespace softscope
