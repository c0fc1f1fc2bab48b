#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/array/Npz.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// How the heads of a layer become one map.
enum class RolloutHeads {
  Mean,
  Largest,  ///< of every entry, over heads; every row is computed, which takes n^2 time
};

struct RolloutSettings {
  RolloutHeads heads = RolloutHeads::Mean;

  bool operator==(const RolloutSettings&) const = default;
};

/// What a token of a layer sees of the first layer's tokens through all layers up to it: a row of
/// the product of (A + I) / 2 over these ("Quantifying Attention Flow in Transformers", 2020, arXiv
/// 2005.00928, Section 3), from the last layer to the first. The product is never formed: one row
/// goes through the layers, O(n r) for factored maps.
struct Rollout {
  /// How the first layer's patches lie on the picture, and what is seen of each: [patches].
  TokenGrid grid;
  Vector patches;
  /// What ends on tokens before the patches: [prefix] of the layer that was asked.
  Vector prefix;
  /// Layers it went through, and those it passed by since they mix channels instead of tokens.
  int layers = 0;
  int passed = 0;
  /// Rows of some layer do not sum to one by themselves and were divided by their sums.
  bool divided = false;
};

/// Of the layer at `of.index` and the token there. Each layer's rows are divided by their sums
/// where its mechanism does not see to that; on another grid what a patch holds is shared out by
/// area. Throws InspectionError where rows of a layer sum to nearly nothing, so that no share of
/// the whole can be told; Cancelled.
Rollout rollOut(const AnalysedLayer& of, int token, RolloutHeads heads,
                const Progress& progress = {});

/// The mean of the rows of all patches, likewise: what a network sees that averages them for its
/// answer. Throws InspectionError also where the layer's queries are no patches.
Rollout rollOutPatches(const AnalysedLayer& of, RolloutHeads heads, const Progress& progress = {});

/// A rollout, of what and from where.
struct LayerRollout {
  AnalysedLayer of;
  PictureQuery query;
  int token = 0;
  Rollout rollout;
  std::string obstacle;
};

/// Of each layer, of each query on the picture.
std::vector<LayerRollout> computeRollouts(const std::vector<AnalysedLayer>& layers,
                                          const RolloutSettings& settings, const Picture* picture,
                                          const std::vector<PictureQuery>& queries,
                                          const Progress& progress = {});

/// `MODEL.LAYER.rollout` [height, width] and `.rollout_prefix`; numbered from 2 for further
/// queries.
NamedArrays rolloutArrays(const std::vector<LayerRollout>& rollouts);

}  // namespace softscope
