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

/// One of a layer's channels, counted from 0.
struct ChosenChannel {
  int index = 0;
  int of = 0;  ///< how many there are

  bool operator==(const ChosenChannel&) const = default;
};

/// Everything about one layer's attention except its numbers.
struct AttentionDescription {
  /// Name of one of mechanisms(), such as `soft`, `soft++`, `gaussian` or `softmax`, or the name
  /// that a recording gives to its own mechanism.
  std::string mechanism;
  int heads = 0;
  /// Rows and columns of each head's matrix, prefix tokens included.
  int queries = 0;
  int keys = 0;
  /// How queries and keys lie on the picture; empty if they are not patches (channels, or only a
  /// class token).
  std::optional<TokenGrid> queryGrid;
  std::optional<TokenGrid> keyGrid;
  /// Where queries and keys lie if they have places of their own instead of a grid; null otherwise.
  std::shared_ptr<const TokenPlaces> queryPlaces;
  std::shared_ptr<const TokenPlaces> keyPlaces;
  /// Number of tokens before the patches: class token, distillation token and registers.
  int prefixTokens = 0;
  /// Names of the prefix tokens (`register 2`), and then of those behind the patches; empty if they
  /// are at most the class token and the distillation token.
  std::vector<std::string> prefixNames = {};
  /// Number of tokens behind the patches: registers, in networks that append them.
  int suffixTokens = 0;
  /// Number of patches that stand before the prefix tokens in the network's own sequence, as in
  /// Vim. The map has the prefix tokens first all the same; see tokenInSequence().
  int patchesBeforePrefix = 0;
  /// Columns of the bottleneck, and how they lie on the picture.
  std::optional<int> landmarks;
  std::optional<TokenGrid> landmarkGrid;
  /// For each landmark, the patches whose mean it is; empty if the landmarks are as trained.
  std::vector<std::vector<int>> landmarkTokens;
  /// Numbers that the mechanism's formula needs, by the name the paper gives them.
  std::map<std::string, double> parameters;
  /// True if V is also convolved with a separate filter per channel, and the result added to A V.
  /// No single matrix on V expresses this; each channel would need its own.
  bool filtersChannels = false;
  /// True if the heads' product with V is multiplied elementwise by a gate before the projection.
  bool gated = false;
  /// Describes anything else that stands beside the attention, as part of a sentence: `D V and a
  /// gate`; empty if nothing does.
  std::string beside = {};
  /// Number of channels whose own matrices the map is the mean of; 0 if one matrix acts on all
  /// channels of a head.
  int meanOfChannels = 0;
  /// The channel whose own matrix the map is; empty for the mean, and if one matrix acts on all.
  std::optional<ChosenChannel> channel = {};
};

/// Returns what stands beside the attention as part of a sentence: a convolution with a filter for
/// each channel, or what `beside` describes. Empty if nothing does.
std::string besideText(const AttentionDescription& description);

/// Returns the row or column of the map for the token at `place` in the network's own sequence.
inline int tokenInSequence(const AttentionDescription& description, int place) {
  const int before = description.patchesBeforePrefix;
  if (place >= before + description.prefixTokens) return place;
  return place < before ? place + description.prefixTokens : place - before;
}

/// The attention of one layer: for each head an implicit queries x keys matrix, which multiplies V.
///
/// Allocates nothing of size queries x keys unless block() or whole() is called for it. All numbers
/// live in host memory; every method is const, safe to call from several threads, and plain Eigen,
/// so that a mouse event handler can look up a row.
class AttentionMap {
 public:
  explicit AttentionMap(AttentionDescription description);
  /// Takes the sizes of the map from these numbers and ignores those in the description.
  AttentionMap(AttentionDescription description, int heads, int queries, int keys);
  virtual ~AttentionMap() = default;
  AttentionMap(const AttentionMap&) = delete;
  AttentionMap& operator=(const AttentionMap&) = delete;

  const AttentionDescription& description() const { return description_; }

  /// Returns the attention of query `query` to every key: [keys]. Like all methods here, throws
  /// InspectionError if an index is out of range.
  virtual Vector row(int head, int query) const = 0;
  /// Returns the attention of every query to key `key`: [queries].
  virtual Vector column(int head, int key) const = 0;
  /// True if column() answers within a frame. If false, call prepareColumns() when there is time to
  /// wait; every column is quick afterwards.
  virtual bool columnsReady() const { return true; }
  /// Computes what column() needs to be quick. Throws Cancelled.
  virtual void prepareColumns(const Progress&) const {}
  /// Returns the entries [firstRow, firstRow + rows) x [firstColumn, firstColumn + columns).
  virtual Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const = 0;
  /// Returns a part of the matrix, averaged over equal areas so that it has at most `maxRows` x
  /// `maxColumns` entries; never enlarged. Factored maps average their factors in O(n r); others
  /// stream the part's rows, and may throw Cancelled between them.
  virtual Matrix averaged(int head, const MatrixPart& part, int maxRows, int maxColumns,
                          const Progress& progress = {}) const;
  /// Bytes this map holds.
  virtual std::size_t bytes() const = 0;

  /// Returns the whole matrix of a head if it fits in `budgetBytes`; otherwise throws an
  /// InspectionError that names both sizes.
  Matrix whole(int head, std::size_t budgetBytes) const;

  /// The part that covers all rows and columns.
  MatrixPart wholePart() const { return {0, 0, description_.queries, description_.keys}; }

  /// Returns where area `index` begins when `length` entries are divided evenly into `areas` areas.
  /// averaged() averages over [areaBegin(i), areaBegin(i + 1)), counted from the part's first
  /// entry.
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

/// Returns the attention of the token at `place` in the network's own sequence to every token in
/// that sequence's order, where map.row() has the prefix tokens first.
inline Vector rowInSequence(const AttentionMap& map, int head, int place) {
  const AttentionDescription& description = map.description();
  const Vector row = map.row(head, tokenInSequence(description, place));
  if (description.patchesBeforePrefix == 0) return row;
  return Vector::NullaryExpr(row.size(), [&](Eigen::Index key) {
    return row[tokenInSequence(description, static_cast<int>(key))];
  });
}

}  // namespace softscope
