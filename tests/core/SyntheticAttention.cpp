#include "tests/core/SyntheticAttention.h"

#include <utility>

namespace softscope::test {
namespace {

class SyntheticMap final : public AttentionMap {
 public:
  using AttentionMap::AttentionMap;

  Vector row(int head, int query) const override {
    checkHead(head);
    checkQuery(head, query);
    Vector values(description().keys);
    for (int key = 0; key < values.size(); ++key) values[key] = syntheticValue(head, query, key);
    return values;
  }
  Vector column(int head, int key) const override {
    checkHead(head);
    checkKey(head, key);
    Vector values(description().queries);
    for (int i = 0; i < values.size(); ++i) values[i] = syntheticValue(head, i, key);
    return values;
  }
  Matrix block(int head, int firstRow, int firstColumn, int rows, int columns) const override {
    Matrix values(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        values(i, j) = syntheticValue(head, firstRow + i, firstColumn + j);
      }
    }
    return values;
  }
  std::size_t bytes() const override { return 0; }
};

}  // namespace

float syntheticValue(int head, int query, int key) {
  return 0.001f * static_cast<float>((37 * query + 11 * key + 7 * query * key) % 101) +
         0.2f * static_cast<float>(head);
}

std::shared_ptr<const AttentionMap> syntheticMap(AttentionDescription description) {
  return std::make_shared<SyntheticMap>(std::move(description));
}

AttentionDescription gridAttention(int heads, int height, int width, int prefixTokens) {
  AttentionDescription attention;
  attention.mechanism = "soft";
  attention.heads = heads;
  attention.queries = attention.keys = height * width + prefixTokens;
  attention.queryGrid = attention.keyGrid = TokenGrid{height, width};
  attention.prefixTokens = prefixTokens;
  return attention;
}

}  // namespace softscope::test
