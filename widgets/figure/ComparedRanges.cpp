#include "widgets/figure/ComparedRanges.h"

#include "core/query/DifferenceValues.h"
#include "widgets/query/ValueRange.h"

#include <algorithm>

namespace softscope {
namespace {

/// Replaces all ranges by one that covers them all.
void link(std::vector<ValueRange>& ranges) {
  if (ranges.empty()) return;
  ValueRange all = ranges.front();
  for (const ValueRange& range : ranges) {
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
    all.clipped = all.clipped || range.clipped;
  }
  std::fill(ranges.begin(), ranges.end(), all);
}

/// Sets the ranges and colours of panels that are seen together.
void apply(const std::vector<HeadPanel*>& panels, ViewSettings view, bool differences,
           bool linked) {
  std::vector<AttentionValues> values;
  for (const HeadPanel* panel : panels) values.push_back(panel->values);
  std::vector<ValueRange> ranges =
      differences ? differenceRanges(values, view) : valueRanges(values, view);
  if (linked) link(ranges);
  view.absolute = view.absolute && !differences;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i]->range = ranges[i];
    panels[i]->heat = heatmapStyle(view, ranges[i]);
  }
}

}  // namespace

void applyRanges(std::vector<ComparedLine>& lines, const ViewSettings& view, bool linked) {
  for (const bool differences : {false, true}) {
    std::vector<HeadPanel*> together;
    for (ComparedLine& line : lines) {
      if (line.isDifference != differences) continue;
      for (HeadPanel& panel : line.panels) together.push_back(&panel);
      if (linked) continue;
      apply(together, view, differences, false);
      together.clear();
    }
    apply(together, view, differences, linked);
  }
  const bool shared = linked || view.normalisation == ViewSettings::Normalisation::Shared;
  for (ComparedLine& line : lines) {
    line.sharedBar = shared;
    for (HeadPanel& panel : line.panels) panel.colorBar = !shared;
  }
}

}  // namespace softscope
