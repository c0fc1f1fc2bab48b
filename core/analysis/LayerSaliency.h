#pragma once

#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Saliency.h"
#include "core/array/Npz.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Which norms are looked at.
struct SaliencySettings {
  SaliencyOf of = SaliencyOf::Both;
  /// Every head beside the sums over heads.
  bool eachHead = false;

  bool operator==(const SaliencySettings&) const = default;
};

/// What is shown of a layer's saliency, or why there is nothing to show.
struct LayerSaliency {
  AnalysedLayer of;
  /// Those that were asked for and are patches; the queries alone where the keys are the queries.
  std::optional<Saliency> queries;
  std::optional<Saliency> keys;
  bool keysAreQueries = false;
  /// Shown beside the sums over heads.
  std::vector<int> heads;
  std::string obstacle;
};

/// Of each layer, `settings.of`; with every head, or `heads` of each. A layer without gets its
/// obstacle instead. Throws InspectionError for a head that a layer does not have.
std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads = {});

/// One map of a layer, and what it is of.
struct ShownSaliency {
  const Saliency* of = nullptr;
  const SaliencyMap* map = nullptr;
  bool queries = true;
  /// Nothing for the sum over heads.
  std::optional<int> head;
};

/// The maps that are shown of a layer: sums first, queries before keys.
std::vector<ShownSaliency> shownSaliency(const LayerSaliency& saliency);

/// The norms of every panel, [height, width] of its grid: `MODEL.LAYER.query_sum`, `.key_sum`,
/// `.query_head_N`, `.key_head_N`, the layer's dots as underscores.
NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies);

}  // namespace softscope
