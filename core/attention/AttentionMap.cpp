#include "core/attention/AttentionMap.h"

#include "core/Error.h"

#include <cstdint>
#include <utility>

namespace softscope {

namespace {

void checkIndex(const char* what, int index, int count) {
  if (index < 0 || index >= count) {
    throw InspectionError(std::string(what) + " " + std::to_string(index) + " is outside 0 to " +
                          std::to_string(count - 1));
  }
}

std::string mebibytes(std::size_t bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

AttentionMap::AttentionMap(AttentionDescription description)
    : description_(std::move(description)) {}

AttentionMap::AttentionMap(AttentionDescription description, int heads, int queries, int keys)
    : AttentionMap(std::move(description)) {
  description_.heads = heads;
  description_.queries = queries;
  description_.keys = keys;
}

Matrix AttentionMap::whole(int head, std::size_t budgetBytes) const {
  const std::size_t needed = sizeof(float) * static_cast<std::size_t>(description_.queries) *
                             static_cast<std::size_t>(description_.keys);
  if (needed > budgetBytes) {
    throw InspectionError("the whole " + std::to_string(description_.queries) + " x " +
                          std::to_string(description_.keys) + " matrix takes " + mebibytes(needed) +
                          ", more than the budget of " + mebibytes(budgetBytes) +
                          "; ask for single rows or a downsampled one");
  }
  return block(head, 0, 0, description_.queries, description_.keys);
}

int AttentionMap::areaBegin(int index, int areas, int length) {
  return static_cast<int>(static_cast<std::int64_t>(index) * length / areas);
}

void AttentionMap::checkHead(int head) const {
  checkIndex("head", head, description_.heads);
}

void AttentionMap::checkQuery(int head, int query) const {
  checkHead(head);
  checkIndex("query", query, description_.queries);
}

void AttentionMap::checkKey(int head, int key) const {
  checkHead(head);
  checkIndex("key", key, description_.keys);
}

void AttentionMap::checkBlock(int head, int firstRow, int firstColumn, int rows,
                              int columns) const {
  checkHead(head);
  if (rows < 0 || columns < 0 || firstRow < 0 || firstColumn < 0 ||
      firstRow > description_.queries - rows || firstColumn > description_.keys - columns) {
    throw InspectionError("block of " + std::to_string(rows) + " x " + std::to_string(columns) +
                          " at (" + std::to_string(firstRow) + ", " + std::to_string(firstColumn) +
                          ") is outside the " + std::to_string(description_.queries) + " x " +
                          std::to_string(description_.keys) + " matrix");
  }
}

}  // namespace softscope
