#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/EntryRange.h"
#include "core/array/Table.h"

#include <optional>
#include <vector>

namespace softscope {

/// What the overview says of every head.
enum class OverviewOf {
  Distance,  ///< how far it looks, in pixels
  Entropy,   ///< how widely it looks, as a share of ln(keys)
  Entries,   ///< its largest entry in magnitude
};

/// A number of every head of a layer. How far and how widely a head looks is nothing where its
/// queries or keys are not patches; an entry that is not finite is nothing.
struct LayerOverview {
  AnalysedLayer of;
  std::vector<std::optional<double>> heads;
  /// Of every head, where entries were asked for.
  std::vector<EntryRange> entries;
};

/// Of each layer. May throw Cancelled.
std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers, OverviewOf of,
                                           const Progress& progress = {});

/// Throws InspectionError where no head has a number to show: of entries, one above 0.
void checkOverview(const std::vector<LayerOverview>& layers, OverviewOf of);

/// `model,layer,head,attention_distance` (in pixels of the network's input), or `...,entropy` (as a
/// share of ln(keys)), or `...,smallest_entry,largest_entry,entry_bound`, see entryBound().
Table overviewTable(const std::vector<LayerOverview>& layers, OverviewOf of);

}  // namespace softscope
