#include "core/query/AttentionValues.h"

#include "core/analysis/HeadSummary.h"
#include "core/attention/BlockMap.h"
#include "core/query/QueryToken.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <future>
#include <numeric>
#include <thread>

namespace softscope {
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

/// Number of values that one thread computes before another thread is ready to help.
constexpr std::int64_t valuesWorthAThread = 1 << 17;

/// Returns the answers of `heads`. Reading the matrices of many tokens dominates the time, and a
/// single core does not use the full memory bandwidth.
std::vector<Vector> answersOf(const AttentionMap& map, const std::vector<int>& heads, int token,
                              Direction direction) {
  std::vector<Vector> answers(heads.size());
  const auto compute = [&](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < heads.size(); i += step) {
      answers[i] = answer(map, heads[i], token, direction);
    }
  };
  const AttentionDescription& attention = map.description();
  const std::int64_t values =
      static_cast<std::int64_t>(heads.size()) * std::max(attention.queries, attention.keys);
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  const auto threads = static_cast<std::size_t>(std::max<std::int64_t>(
      1, std::min({cores, values / valuesWorthAThread, static_cast<std::int64_t>(heads.size())})));
  std::vector<std::future<void>> others;
  for (std::size_t first = 1; first < threads; ++first) {
    others.push_back(std::async(std::launch::async, compute, first, threads));
  }
  compute(0, threads);
  for (std::future<void>& other : others) other.get();
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
  return smallest < -std::max(std::abs(smallest), std::abs(largest)) / 128;
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
  std::vector<AttentionValues> panels;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const int head = heads[i];
    const auto add = [&](const Vector& values) {
      panels.push_back(split(map, head, direction, values));
      markOutside(map, token, direction, panels.back());
    };
    if (head == AttentionValues::meanOfHeads) {
      add(meanOverHeads(all));
    } else if (head == AttentionValues::largestOfHeads) {
      add(largestOverHeads(all));
    } else {
      map.checkHead(head);
      add(all[summarised ? static_cast<std::size_t>(head) : i]);
    }
  }
  return panels;
}

}  // namespace softscope
