#pragma once

#include "core/attention/MatrixStack.h"
#include "core/attention/SparseMap.h"

#include <vector>

namespace softscope {

/// Attention within windows of the picture, as Swin Transformers compute it ("Swin Transformer:
/// Hierarchical Vision Transformer using Shifted Windows", 2021, arXiv 2103.14030): each block is
/// the attention among the tokens of one window, and a matrix over the whole picture holds zeros
/// between tokens of different windows, which no network computes. Costs O(c) for a row of a block
/// of c columns, apart from filling the zeros in, and O(queries c) for a product with a vector.
class BlockMap final : public SparseMap {
 public:
  struct Blocks {
    /// The blocks' entries, one block below the other: [heads][count r, c].
    MatrixStack values;
    /// The query of every row, [count r], and the key of every column, [count c]; -1 for padding,
    /// which the network attends to but which is no token.
    std::vector<int> rows;
    std::vector<int> columns;
    int count = 0;
    /// Rows and columns of the whole matrix.
    int queries = 0;
    int keys = 0;
  };

  /// Throws InspectionError if the sizes do not fit, an index is out of range, a query stands in
  /// two rows, or a key stands twice in one block.
  BlockMap(AttentionDescription description, Blocks blocks);

  const Blocks& blocks() const { return blocks_; }
  int blockRows() const { return blocks_.values.rows() / blocks_.count; }
  int blockColumns() const { return blocks_.values.columns(); }

  /// Returns, for each key, whether it is outside of the query's window, [keys]; or, for each
  /// query, whether the key is outside of its window, [queries].
  std::vector<bool> keysOutside(int query) const;
  std::vector<bool> queriesOutside(int key) const;
  /// True if some columns are padding, whose weights are in no row here.
  bool isPadded() const { return padded_; }
  /// True if no key stands in two blocks, so that rows and columns can be sorted to make the matrix
  /// block-diagonal.
  bool hasDisjointKeys() const { return disjoint_; }

  Vector column(int head, int key) const override;
  std::size_t bytes() const override;

 protected:
  /// Adds every key of the query's block.
  void addEntries(int head, int query, Entries& entries) const override;

 private:
  void findRows();
  void findColumns();

  Blocks blocks_;
  bool padded_ = false;
  bool disjoint_ = true;
  /// The row of every query among all rows of blocks, or -1: [queries].
  std::vector<int> rowOf_;
  /// The columns of key k among all columns of blocks: columnsOf_[columnsBegin_[k]] up to
  /// columnsBegin_[k + 1].
  std::vector<int> columnsOf_;
  std::vector<int> columnsBegin_;
};

}  // namespace softscope
