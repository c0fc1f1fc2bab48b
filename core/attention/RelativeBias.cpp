#include "core/attention/RelativeBias.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

RelativeBias::RelativeBias(Matrix tables, const TokenGrid& grid, int prefixTokens)
    : tables_(std::move(tables)), grid_(grid), prefixTokens_(prefixTokens) {
  const int distances = (2 * grid.height - 1) * (2 * grid.width - 1);
  if (prefixTokens > 1 || tables_.cols() != distances + (prefixTokens == 1 ? 3 : 0)) {
    throw InspectionError("a table of relative positions does not fit its grid");
  }
}

float RelativeBias::between(int head, int query, int key) const {
  const auto entries = tables_.cols();
  const bool isQueryPatch = query >= prefixTokens_;
  const bool isKeyPatch = key >= prefixTokens_;
  if (!isQueryPatch) return tables_(head, entries - (isKeyPatch ? 3 : 1));
  if (!isKeyPatch) return tables_(head, entries - 2);
  const int q = query - prefixTokens_;
  const int k = key - prefixTokens_;
  const int y = q / grid_.width - k / grid_.width + grid_.height - 1;
  const int x = q % grid_.width - k % grid_.width + grid_.width - 1;
  return tables_(head, y * (2 * grid_.width - 1) + x);
}

void RelativeBias::addToRow(int head, int query, Eigen::Ref<Vector> scores) const {
  for (int key = 0; key < scores.size(); ++key) scores[key] += between(head, query, key);
}

void RelativeBias::addToColumn(int head, int key, Eigen::Ref<Vector> scores) const {
  for (int query = 0; query < scores.size(); ++query) scores[query] += between(head, query, key);
}

}  // namespace softscope
