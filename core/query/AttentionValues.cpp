#include "core/query/AttentionValues.h"

#include "core/analysis/HeadSummary.h"
#include "core/query/QueryToken.h"

#include <algorithm>

namespace softscope {
namespace {

bool isSummary(int head) {
  return head == AttentionValues::meanOfHeads || head == AttentionValues::largestOfHeads;
}

/// What a head answers: a row, a column, or where that is shown its whole matrix, row after row.
Vector answer(const AttentionMap& map, int head, int token, Direction direction) {
  const AttentionDescription& attention = map.description();
  if (showsWholeMatrix(attention)) {
    const Matrix matrix = map.block(head, 0, 0, attention.queries, attention.keys);
    return Eigen::Map<const Vector>(matrix.data(), matrix.size());
  }
  return direction == Direction::Rows ? map.row(head, token) : map.column(head, token);
}

AttentionValues split(const AttentionMap& map, int head, Direction direction, const Vector& all) {
  const AttentionDescription& attention = map.description();
  const std::optional<TokenGrid> grid = answerGrid(attention, direction);
  const int prefix = direction == Direction::Rows ? keyPrefix(attention) : queryPrefix(attention);
  AttentionValues values;
  values.head = head;
  if (showsWholeMatrix(attention)) {
    values.grid = {attention.queries, attention.keys};
    values.patches = all;
    return values;
  }
  values.onPicture = grid.has_value();
  if (grid) {
    values.grid = *grid;
    values.prefix = all.head(prefix);
    values.patches = all.tail(all.size() - prefix);
    values.places = direction == Direction::Rows ? attention.keyPlaces : attention.queryPlaces;
    if (values.places) values.patches = values.patches(values.places->nearest).eval();
  } else {
    values.grid = {1, static_cast<int>(all.size())};
    values.patches = all;
  }
  return values;
}

}  // namespace

AttentionValues attentionValues(const AttentionMap& map, int head, int token, Direction direction) {
  return attentionValues(map, std::vector<int>{head}, token, direction).front();
}

std::vector<AttentionValues> attentionValues(const AttentionMap& map, const std::vector<int>& heads,
                                             int token, Direction direction) {
  // Of every head, where a summary needs them.
  std::vector<Vector> all;
  if (std::any_of(heads.begin(), heads.end(), isSummary)) {
    for (int head = 0; head < map.description().heads; ++head) {
      all.push_back(answer(map, head, token, direction));
    }
  }
  std::vector<AttentionValues> panels;
  for (const int head : heads) {
    const auto add = [&](const Vector& values) {
      panels.push_back(split(map, head, direction, values));
    };
    if (head == AttentionValues::meanOfHeads) {
      add(meanOverHeads(all));
    } else if (head == AttentionValues::largestOfHeads) {
      add(largestOverHeads(all));
    } else if (head >= 0 && head < static_cast<int>(all.size())) {
      add(all[static_cast<std::size_t>(head)]);
    } else {
      add(answer(map, head, token, direction));
    }
  }
  return panels;
}

}  // namespace softscope
