#include "widgets/query/ValueRange.h"

#include "core/ParallelWork.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace softscope {
namespace {

struct Extremes {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();

  void include(float lowest, float highest) {
    low = std::min(low, lowest);
    high = std::max(high, highest);
  }
  bool isEmpty() const { return low > high; }
  float magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

Extremes extremesOf(const Vector& values) {
  Extremes extremes;
  // Runs that stay in the cache. Nearly every one is finite, so several values can be compared at a
  // time.
  constexpr Eigen::Index run = 4096;
  for (Eigen::Index first = 0; first < values.size(); first += run) {
    const auto part = values.segment(first, std::min(run, values.size() - first));
    if (part.allFinite()) {
      extremes.include(part.minCoeff(), part.maxCoeff());
      continue;
    }
    for (const float value : part) {
      if (std::isfinite(value)) extremes.include(value, value);
    }
  }
  return extremes;
}

Extremes percentilesOf(const Vector& values) {
  std::vector<float> sorted;
  sorted.reserve(static_cast<std::size_t>(values.size()));
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
               [](float value) { return std::isfinite(value); });
  Extremes extremes;
  if (sorted.empty()) return extremes;
  const auto at = [&](double fraction) {
    const auto place = sorted.begin() + std::lround(fraction * double(sorted.size() - 1));
    std::nth_element(sorted.begin(), place, sorted.end());
    return *place;
  };
  extremes.include(at(0.01), at(0.99));
  return extremes;
}

ValueRange rangeOfEnds(const Extremes& ends, bool centred) {
  if (ends.isEmpty()) return {.low = 0, .high = 0, .centred = centred, .isEmpty = true};
  if (!centred) return {ends.low, ends.high, false, false};
  return {-ends.magnitude(), ends.magnitude(), true, false};
}

}  // namespace

std::vector<ValueRange> valueRanges(const std::vector<AttentionValues>& panels,
                                    const ViewSettings& view) {
  using Normalisation = ViewSettings::Normalisation;
  std::vector<Extremes> full(panels.size());
  std::vector<Extremes> shown(panels.size());
  const Eigen::Index longest = panels.empty() ? 0 : panels.front().patches.size();
  shareWork(std::ssize(panels), std::ssize(panels) * longest, [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    const AttentionValues& panel = panels[i];
    Vector drawn;
    if (!panel.outside.empty()) drawn = panel.inside();
    if (view.absolute) drawn = (panel.outside.empty() ? panel.patches : drawn).cwiseAbs();
    const Vector& values = view.absolute || !panel.outside.empty() ? drawn : panel.patches;
    full[i] = extremesOf(values);
    shown[i] = view.normalisation == Normalisation::Percentile ? percentilesOf(values) : full[i];
  });
  Extremes shared;
  for (const Extremes& ends : full) shared.include(ends.low, ends.high);
  const bool besideSigned =
      !view.absolute && std::ranges::any_of(panels, &AttentionValues::isBesideSigned);
  const bool centred = besideSigned || std::ranges::any_of(full, [](const Extremes& ends) {
                         return !ends.isEmpty() && isSignedRange(ends.low, ends.high);
                       });
  std::vector<ValueRange> ranges;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const bool together = view.normalisation == Normalisation::Shared;
    ranges.push_back(rangeOfEnds(together ? shared : shown[i], centred));
    ranges.back().clipped = full[i].low < ranges.back().low || full[i].high > ranges.back().high;
  }
  return ranges;
}

std::vector<ValueRange> differenceRanges(const std::vector<AttentionValues>& panels,
                                         const ViewSettings& view) {
  ViewSettings isSigned = view;
  isSigned.absolute = false;
  std::vector<ValueRange> ranges = valueRanges(panels, isSigned);
  for (ValueRange& range : ranges) {
    const float magnitude = std::max(std::abs(range.low), std::abs(range.high));
    range.low = -magnitude;
    range.high = magnitude;
    range.centred = true;
  }
  return ranges;
}

}  // namespace softscope
