#include "core/attention/StencilMap.h"

#include "core/Error.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

AttentionDescription onGrid(AttentionDescription description, const MatrixStack& filters) {
  if (!description.queryGrid || filters.rows() % 2 == 0 || filters.rows() != filters.columns()) {
    throw InspectionError("a convolution of " + std::to_string(filters.rows()) + " x " +
                          std::to_string(filters.columns()) +
                          " is no matrix on the patches; odd sides and a grid are needed");
  }
  description.keyGrid = description.queryGrid;
  return description;
}

int patchesOf(const AttentionDescription& description) {
  return description.queryGrid ? description.queryGrid->count() : 0;
}

}  // namespace

StencilMap::StencilMap(AttentionDescription description, MatrixStack filters)
    : SparseMap(onGrid(description, filters), filters.count(), patchesOf(description),
                patchesOf(description)),
      filters_(std::move(filters)) {}

void StencilMap::addEntries(int head, int query, Entries& entries) const {
  const auto filter = filters_[head];
  const auto side = static_cast<int>(filter.rows());
  const TokenGrid patches = grid();
  const int top = query / patches.width - side / 2;
  const int left = query % patches.width - side / 2;
  for (int a = std::max(0, -top); a < std::min(side, patches.height - top); ++a) {
    for (int b = std::max(0, -left); b < std::min(side, patches.width - left); ++b) {
      entries.add((top + a) * patches.width + left + b, filter(a, b));
    }
  }
}

Vector StencilMap::column(int head, int key) const {
  checkKey(head, key);
  // Seen from a key, its queries lie where the rotated filter points.
  const auto filter = filters_[head];
  const auto last = static_cast<int>(filter.rows()) - 1;
  const TokenGrid patches = grid();
  const int bottom = key / patches.width + last / 2;
  const int right = key % patches.width + last / 2;
  Vector values = Vector::Zero(description().queries);
  for (int a = 0; a <= last; ++a) {
    for (int b = 0; b <= last; ++b) {
      const int row = bottom - a;
      const int column = right - b;
      if (row < 0 || row >= patches.height || column < 0 || column >= patches.width) continue;
      values[row * patches.width + column] = filter(a, b);
    }
  }
  return values;
}

}  // namespace softscope
