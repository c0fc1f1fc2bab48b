#include "core/attention/BlockMap.h"

#include "core/Error.h"

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {

namespace {

void requireBlockSizes(const BlockMap::Blocks& blocks) {
  const bool fits = blocks.count > 0 && blocks.values.count() > 0 && blocks.values.rows() > 0 &&
                    blocks.values.columns() > 0 && blocks.values.rows() % blocks.count == 0 &&
                    std::ssize(blocks.rows) == blocks.values.rows() &&
                    std::ssize(blocks.columns) ==
                        static_cast<std::ptrdiff_t>(blocks.count) * blocks.values.columns();
  if (fits) return;
  throw InspectionError("attention in " + std::to_string(blocks.count) + " blocks of " +
                        std::to_string(blocks.values.rows()) + " rows and " +
                        std::to_string(blocks.values.columns()) +
                        " columns needs a query for each row and a key for each column");
}

void requireIndices(const char* what, const std::vector<int>& indices, int count) {
  const auto wrong = std::find_if(indices.begin(), indices.end(),
                                  [count](int index) { return index < -1 || index >= count; });
  if (wrong == indices.end()) return;
  throw InspectionError(std::string("a block of attention names ") + what + " " +
                        std::to_string(*wrong) + ", which is outside -1 to " +
                        std::to_string(count - 1));
}

BlockMap::Blocks checkedBlocks(BlockMap::Blocks blocks) {
  requireBlockSizes(blocks);
  requireIndices("query", blocks.rows, blocks.queries);
  requireIndices("key", blocks.columns, blocks.keys);
  return blocks;
}

}  // namespace

BlockMap::BlockMap(AttentionDescription description, Blocks blocks)
    : SparseMap(std::move(description), blocks.values.count(), blocks.queries, blocks.keys),
      blocks_(checkedBlocks(std::move(blocks))) {
  findRows();
  findColumns();
}

void BlockMap::findRows() {
  rowOf_.assign(static_cast<std::size_t>(blocks_.queries), -1);
  for (std::size_t i = 0; i < blocks_.rows.size(); ++i) {
    if (blocks_.rows[i] < 0) continue;
    int& row = rowOf_[static_cast<std::size_t>(blocks_.rows[i])];
    if (row >= 0) {
      throw InspectionError("query " + std::to_string(blocks_.rows[i]) +
                            " stands in two rows of blocks, and a row of attention is one of them");
    }
    row = static_cast<int>(i);
  }
}

void BlockMap::findColumns() {
  const auto keys = static_cast<std::size_t>(blocks_.keys);
  columnsBegin_.assign(keys + 1, 0);
  for (const int key : blocks_.columns) {
    if (key >= 0) ++columnsBegin_[static_cast<std::size_t>(key) + 1];
    padded_ = padded_ || key < 0;
  }
  for (std::size_t key = 0; key < keys; ++key) {
    disjoint_ = disjoint_ && columnsBegin_[key + 1] <= 1;
    columnsBegin_[key + 1] += columnsBegin_[key];
  }
  columnsOf_.resize(static_cast<std::size_t>(columnsBegin_.back()));
  std::vector<int> next(columnsBegin_.begin(), columnsBegin_.end() - 1);
  for (std::size_t i = 0; i < blocks_.columns.size(); ++i) {
    if (blocks_.columns[i] < 0) continue;
    const auto key = static_cast<std::size_t>(blocks_.columns[i]);
    const int column = static_cast<int>(i);
    const int place = next[key]++;
    if (place > columnsBegin_[key] &&
        columnsOf_[static_cast<std::size_t>(place) - 1] / blockColumns() ==
            column / blockColumns()) {
      throw InspectionError("key " + std::to_string(key) + " stands twice in one block");
    }
    columnsOf_[static_cast<std::size_t>(place)] = column;
  }
}

void BlockMap::addEntries(int head, int query, Entries& entries) const {
  const int row = rowOf_[static_cast<std::size_t>(query)];
  if (row < 0) return;
  const int width = blockColumns();
  const auto weights = blocks_.values[head];
  const int* columns =
      blocks_.columns.data() + static_cast<std::ptrdiff_t>(row / blockRows()) * width;
  for (int i = 0; i < width; ++i) {
    if (columns[i] >= 0) entries.add(columns[i], weights(row, i));
  }
}

std::vector<bool> BlockMap::keysOutside(int query) const {
  checkQuery(0, query);
  std::vector<bool> outside(static_cast<std::size_t>(blocks_.keys), true);
  Entries inside;
  addEntries(0, query, inside);
  for (const int key : inside.keys) outside[static_cast<std::size_t>(key)] = false;
  return outside;
}

std::vector<bool> BlockMap::queriesOutside(int key) const {
  checkKey(0, key);
  std::vector<bool> outside(static_cast<std::size_t>(blocks_.queries), true);
  const int height = blockRows();
  for (int i = columnsBegin_[static_cast<std::size_t>(key)];
       i < columnsBegin_[static_cast<std::size_t>(key) + 1]; ++i) {
    const int first = columnsOf_[static_cast<std::size_t>(i)] / blockColumns() * height;
    for (int row = first; row < first + height; ++row) {
      const int query = blocks_.rows[static_cast<std::size_t>(row)];
      if (query >= 0) outside[static_cast<std::size_t>(query)] = false;
    }
  }
  return outside;
}

Vector BlockMap::column(int head, int key) const {
  checkKey(head, key);
  Vector values = Vector::Zero(blocks_.queries);
  const auto entries = blocks_.values[head];
  const int height = blockRows();
  const int width = blockColumns();
  for (int i = columnsBegin_[static_cast<std::size_t>(key)];
       i < columnsBegin_[static_cast<std::size_t>(key) + 1]; ++i) {
    const int column = columnsOf_[static_cast<std::size_t>(i)];
    const int first = column / width * height;
    for (int row = first; row < first + height; ++row) {
      const int query = blocks_.rows[static_cast<std::size_t>(row)];
      if (query >= 0) values[query] = entries(row, column % width);
    }
  }
  return values;
}

std::size_t BlockMap::bytes() const {
  return blocks_.values.bytes() +
         sizeof(int) * (blocks_.rows.size() + blocks_.columns.size() + rowOf_.size() +
                        columnsOf_.size() + columnsBegin_.size());
}

}  // namespace softscope
