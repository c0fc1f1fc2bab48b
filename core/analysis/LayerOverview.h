#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/EntryRange.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The number that the overview shows for every head.
enum class OverviewMeasure {
  Distance,  ///< how far it looks, in pixels
  Entropy,   ///< how widely it looks, as a share of ln(keys)
  Entries,   ///< its largest entry in magnitude
};

/// One number for every head of a layer. Distance and entropy are empty where overviewObstacle()
/// says why; an entry is empty if it is not finite.
struct LayerOverview {
  AnalysedLayer of;
  std::vector<std::optional<double>> heads;
  /// The range of every head's entries; filled only for OverviewMeasure::Entries.
  std::vector<EntryRange> entries;
};

/// Returns the overview of each layer. May throw Cancelled.
std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers,
                                           OverviewMeasure of, const Progress& progress = {});

/// Returns why the distance or entropy of a head of a layer is empty, as the end of a sentence:
/// `its tokens are not patches`.
std::string overviewObstacle(const AttentionMap& map, OverviewMeasure of);

/// Throws InspectionError if no head has a finite number to show; an entry is shown only if it is
/// above 0.
void checkOverview(const std::vector<LayerOverview>& layers, OverviewMeasure of);

/// Returns the table with the columns `model,layer,head,attention_distance` (in pixels of the
/// network's input), or `...,entropy` (as a share of ln(keys)), or
/// `...,smallest_entry,largest_entry,entry_bound` (see entryBound()).
Table overviewTable(const std::vector<LayerOverview>& layers, OverviewMeasure of);

}  // namespace softscope
