#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Saliency.h"
#include "core/array/Npz.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Selects the norms to show.
struct SaliencySettings {
  SaliencySide of = SaliencySide::Both;
  /// Show every head in addition to the sums over heads.
  bool eachHead = false;

  bool operator==(const SaliencySettings&) const = default;
};

/// The saliency of a layer, or the reason why there is nothing to show.
struct LayerSaliency {
  AnalysedLayer of;
  /// Filled if they were asked for and are patches; only `queries` if the keys are the queries.
  std::optional<Saliency> queries;
  std::optional<Saliency> keys;
  bool keysAreQueries = false;
  /// Heads shown in addition to the sums over heads.
  std::vector<int> heads;
  std::string obstacle;
};

/// Returns the saliency of each layer that `settings.of` selects, with `heads`, or with every head
/// if the settings ask for each. A layer without saliency gets an obstacle instead. Throws
/// InspectionError for a head that a layer does not have.
std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads = {});

/// One map of a layer, and the tokens and head that it belongs to.
struct ShownSaliency {
  const Saliency* of = nullptr;
  const SaliencyMap* map = nullptr;
  bool queries = true;
  /// Index of the head whose map is shown; empty for the sum over heads.
  std::optional<int> head;
};

/// Returns the maps that are shown for a layer: sums first, queries before keys.
std::vector<ShownSaliency> shownSaliency(const LayerSaliency& saliency);

/// Returns the norms of every panel, [height, width] of its grid: `MODEL.LAYER.query_sum`,
/// `.key_sum`, `.query_head_N`, `.key_head_N`, with the layer's dots as underscores.
NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies);

}  // namespace softscope
