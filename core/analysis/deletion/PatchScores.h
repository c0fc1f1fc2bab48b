#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/deletion/DeletionSettings.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace softscope {

/// What says in which order patches are removed.
enum class PatchOrderOf {
  QuerySaliency,   ///< l1 norms of a layer's queries, summed over heads
  KeySaliency,     ///< of its keys
  ClassAttention,  ///< what the class token attends to, in the last layer where it asks
  Rollout,         ///< what the network's answer sees through all layers
  Received,        ///< what all queries of a layer attend to, on average
  Random,          ///< chance
};

/// `query_saliency`, `class_attention`: as tables call it.
std::string orderName(PatchOrderOf of);

/// How much each patch of a grid over the input matters, by one map.
struct PatchScores {
  PatchOrderOf of = PatchOrderOf::QuerySaliency;
  /// The attention layer whose numbers these are; the last one for rollout.
  std::string layer;
  /// Queries are keys, so that both saliencies are one.
  bool ofQueriesAndKeys = false;
  /// [grid], the larger the more important; shared out by area from the map's own grid.
  Eigen::VectorXd values;
  /// What a rollout's maps were made into, as rolloutDeviation() has it; empty for other maps.
  std::string note;
  /// Why there is no such map; empty where there is one.
  std::string obstacle;
};

/// Of the layers of one model on one picture, at least one: saliency and attention received of
/// each; class attention and rollout once, since they are of the whole network. The answer's
/// rollout is the class token's row where there is such a token, and the mean of all patches' rows
/// where there is none. `shares` are those that rollOut() may need. Throws Cancelled.
std::vector<PatchScores> patchScores(const std::vector<AnalysedLayer>& layers,
                                     const TokenGrid& grid, const DeletionSettings& settings,
                                     const SharesOf& shares = {}, const Progress& progress = {});

}  // namespace softscope
