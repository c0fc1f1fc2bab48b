#include "core/query/AttentionValues.h"

#include "core/ParallelWork.h"
#include "core/analysis/EntryRange.h"
#include "core/attention/BlockMap.h"
#include "core/query/QueryToken.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <numeric>

namespace softscope {

Vector meanOverHeads(const std::vector<Vector>& heads) {
  assert(!heads.empty());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(heads.front().size());
  for (const Vector& values : heads) sum += values.cast<double>();
  return (sum / static_cast<double>(heads.size())).cast<float>();
}

Vector largestOverHeads(const std::vector<Vector>& heads) {
  assert(!heads.empty());
  Vector largest = heads.front();
  for (const Vector& values : heads) {
    largest = (values.array().abs() > largest.array().abs()).select(values, largest);
  }
  return largest;
}

namespace {

bool isSummary(int head) {
  return head == AttentionValues::meanOfHeads || head == AttentionValues::largestOfHeads;
}

/// Returns a head's answer: a row, a column, or its whole matrix, row after row, if that is shown.
Vector answer(const AttentionMap& map, int head, int token, Direction direction) {
  const AttentionDescription& attention = map.description();
  if (showsWholeMatrix(attention)) {
    const Matrix matrix = map.block(head, 0, 0, attention.queries, attention.keys);
    return Eigen::Map<const Vector>(matrix.data(), matrix.size());
  }
  return direction == Direction::Rows ? map.row(head, token) : map.column(head, token);
}

/// Number of values in the answers of so many heads.
std::int64_t valuesOf(const AttentionMap& map, std::size_t heads) {
  const AttentionDescription& attention = map.description();
  return static_cast<std::int64_t>(heads) * std::max(attention.queries, attention.keys);
}

std::vector<Vector> answersOf(const AttentionMap& map, const std::vector<int>& heads, int token,
                              Direction direction) {
  std::vector<Vector> answers(heads.size());
  shareWork(static_cast<std::int64_t>(heads.size()), valuesOf(map, heads.size()),
            [&](std::int64_t i) {
              const auto at = static_cast<std::size_t>(i);
              answers[at] = answer(map, heads[at], token, direction);
            });
  return answers;
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
    const int suffix = attention.suffixTokens;
    values.patches = all.segment(prefix, all.size() - prefix - suffix);
    if (suffix > 0) {
      values.prefix.conservativeResize(prefix + suffix);
      values.prefix.tail(suffix) = all.tail(suffix);
    }
    values.places = direction == Direction::Rows ? attention.keyPlaces : attention.queryPlaces;
    if (values.places) values.patches = values.patches(values.places->nearest).eval();
  } else {
    values.grid = {1, static_cast<int>(all.size())};
    values.patches = all;
  }
  return values;
}

/// Marks the patches with which the asked token shares no window.
void markOutside(const AttentionMap& map, int token, Direction direction, AttentionValues& values) {
  const auto* blocks = dynamic_cast<const BlockMap*>(&map);
  if (blocks == nullptr || values.places || showsWholeMatrix(map.description())) return;
  const bool rows = direction == Direction::Rows;
  const std::vector<bool> all = rows ? blocks->keysOutside(token) : blocks->queriesOutside(token);
  const int prefix = !values.onPicture ? 0
                     : rows            ? keyPrefix(map.description())
                                       : queryPrefix(map.description());
  values.outside.assign(all.begin() + prefix, all.begin() + prefix + values.patches.size());
}

}  // namespace

Vector AttentionValues::inside() const {
  if (outside.empty()) return patches;
  Vector values(std::count(outside.begin(), outside.end(), false));
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    if (!outside[i]) values[next++] = patches[static_cast<Eigen::Index>(i)];
  }
  return values;
}

bool isSignedRange(float smallest, float largest) {
  return EntryRange{smallest, largest}.isSigned();
}

AttentionValues attentionValues(const AttentionMap& map, int head, int token, Direction direction) {
  return attentionValues(map, std::vector<int>{head}, token, direction).front();
}

std::vector<AttentionValues> attentionValues(const AttentionMap& map, const std::vector<int>& heads,
                                             int token, Direction direction) {
  // Ask every head if a summary needs them.
  std::vector<int> asked = heads;
  const bool summarised = std::any_of(heads.begin(), heads.end(), isSummary);
  if (summarised) {
    asked.resize(static_cast<std::size_t>(map.description().heads));
    std::iota(asked.begin(), asked.end(), 0);
  }
  const std::vector<Vector> all = answersOf(map, asked, token, direction);
  std::vector<AttentionValues> panels(heads.size());
  shareWork(static_cast<std::int64_t>(heads.size()), valuesOf(map, heads.size()),
            [&](std::int64_t index) {
              const auto i = static_cast<std::size_t>(index);
              const int head = heads[i];
              const auto take = [&](const Vector& values) {
                panels[i] = split(map, head, direction, values);
                markOutside(map, token, direction, panels[i]);
              };
              if (head == AttentionValues::meanOfHeads) {
                take(meanOverHeads(all));
              } else if (head == AttentionValues::largestOfHeads) {
                take(largestOverHeads(all));
              } else {
                map.checkHead(head);
                take(all[summarised ? static_cast<std::size_t>(head) : i]);
              }
            });
  return panels;
}

}  // namespace softscope
