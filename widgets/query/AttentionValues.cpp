#include "widgets/query/AttentionValues.h"

#include "core/analysis/HeadSummary.h"
#include "widgets/query/QueryToken.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  } else {
    values.grid = {1, static_cast<int>(all.size())};
    values.patches = all;
  }
  return values;
}

struct Extremes {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();

  void include(float lowest, float highest) {
    low = std::min(low, lowest);
    high = std::max(high, highest);
  }
  float magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

Extremes extremesOf(const Vector& values) {
  Extremes extremes;
  for (const float value : values) {
    if (std::isfinite(value)) extremes.include(value, value);
  }
  if (extremes.low > extremes.high) extremes.include(0, 0);
  return extremes;
}

Extremes percentilesOf(const Vector& values) {
  std::vector<float> sorted;
  sorted.reserve(static_cast<std::size_t>(values.size()));
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
               [](float value) { return std::isfinite(value); });
  Extremes extremes;
  if (sorted.empty()) {
    extremes.include(0, 0);
    return extremes;
  }
  const auto at = [&](double fraction) {
    const auto place = sorted.begin() + std::lround(fraction * double(sorted.size() - 1));
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  };
  extremes.include(at(0.01), at(0.99));
  return extremes;
}

ValueRange rangeOfEnds(const Extremes& ends, bool centred) {
  if (!centred) return {ends.low, ends.high, false, false};
  return {-ends.magnitude(), ends.magnitude(), true, false};
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

std::vector<ValueRange> valueRanges(const std::vector<AttentionValues>& panels,
                                    const ViewSettings& view) {
  using Normalisation = ViewSettings::Normalisation;
  std::vector<Extremes> full;
  std::vector<Extremes> shown;
  Extremes shared;
  for (const AttentionValues& panel : panels) {
    const Vector values = view.absolute ? Vector(panel.patches.cwiseAbs()) : panel.patches;
    full.push_back(extremesOf(values));
    shared.include(full.back().low, full.back().high);
    shown.push_back(view.normalisation == Normalisation::Percentile ? percentilesOf(values)
                                                                    : full.back());
  }
  const bool centred = std::any_of(full.begin(), full.end(), [](const Extremes& ends) {
    // A diverging map has 128 colours to a side.
    return ends.low < -ends.magnitude() / 128;
  });
  std::vector<ValueRange> ranges;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const bool together = view.normalisation == Normalisation::Shared;
    ranges.push_back(rangeOfEnds(together ? shared : shown[i], centred));
    ranges.back().clipped = full[i].low < ranges.back().low || full[i].high > ranges.back().high;
  }
  return ranges;
}

}  // namespace softscope
