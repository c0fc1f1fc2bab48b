#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/array/Table.h"

#include <optional>
#include <vector>

namespace softscope {

/// What the overview says of every head.
enum class OverviewOf {
  Distance,  ///< how far it looks, in pixels
  Entropy,   ///< how widely it looks, as a share of ln(keys)
};

/// How far, or how widely, every head of a layer looks; nothing of a head whose queries or keys are
/// not patches.
struct LayerOverview {
  AnalysedLayer of;
  std::vector<std::optional<double>> heads;
};

/// Of each layer. May throw Cancelled.
std::vector<LayerOverview> computeOverview(const std::vector<AnalysedLayer>& layers, OverviewOf of,
                                           const Progress& progress = {});

/// `model,layer,head,attention_distance` (in pixels of the network's input), or `...,entropy` (as a
/// share of ln(keys)).
Table overviewTable(const std::vector<LayerOverview>& layers, OverviewOf of);

}  // namespace softscope
