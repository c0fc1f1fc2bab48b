#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/Share.h"
#include "core/array/Npz.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// How the heads of a layer become one map.
enum class RolloutHeads {
  Mean,
  Largest,  ///< of every entry, over heads; every row is computed, which takes n^2 time
};

/// What is done with maps whose entries are negative in part.
enum class SignedMaps {
  Absolute,  ///< their magnitudes are rolled out
  Refuse,
};

/// What attention and the connection that passes tokens around it count for in a layer.
enum class ResidualWeight {
  Automatic,  ///< half each where rows are shares of one whole, else by norms
  Half,       ///< half each, as published
  Norms,      ///< by the norms of what each adds
};

struct RolloutSettings {
  RolloutHeads heads = RolloutHeads::Mean;
  SignedMaps signedMaps = SignedMaps::Absolute;
  ResidualWeight residual = ResidualWeight::Automatic;

  bool operator==(const RolloutSettings&) const = default;
};

/// What was made of one layer's map, and what it is like in the rows that the rollout goes through.
struct RolloutLayer {
  std::string name;
  /// What the attention counts for; the rest is the residual connection's.
  double attentionWeight = 0.5;
  /// By norms: |A V W| / (|A V W| + |X|), with heads weighted by theirs, instead of half each.
  bool byNorms = false;
  /// Rows were divided by their l1 norms, since they are not shares of one by themselves.
  bool divided = false;
  /// Of all weights' magnitudes, the share of negative ones, which magnitudes take as positive.
  double negativeShare = 0;
  /// The smallest |sum| of a row over its l1 norm: where it is small, positive and negative weights
  /// cancel, and a row divided by its sum would be noise times the inverse of this.
  double leastSum = 1;

  bool isSigned() const;
};

/// What a token of a layer sees of the first layer's tokens through all layers up to it: a row of
/// the product of w A + (1 - w) I over these, from the last layer to the first. As published, w is
/// a half and A a softmax, whose rows are shares of one ("Quantifying Attention Flow in
/// Transformers", 2020, arXiv 2005.00928, Section 3). Other rows are divided by the sums of their
/// magnitudes, which makes shares of them but loses how large they were: w is the attention's part
/// of |attention| + |residual stream| then, by norms ("Incorporating Residual and Normalization
/// Layers into Analysis of Masked Language Models", 2021, arXiv 2109.07152). The product is never
/// formed: one row goes through the layers, O(n r) for maps of factors that are not
/// negative, O(n^2) for the magnitudes of others.
struct Rollout {
  /// How the first layer's patches lie on the picture, and what is seen of each: [patches].
  TokenGrid grid;
  Vector patches;
  /// What ends on tokens before the patches: [prefix] of the layer that was asked.
  Vector prefix;
  /// Layers it went through, the first one first.
  std::vector<RolloutLayer> layers;
  /// Those it passed by since they mix channels instead of tokens.
  int passed = 0;
};

/// Where the shares of a layer's model come from, without knock-outs; asked when a layer needs it.
/// Null, or no function, where there are none, as of recordings.
using SharesOf = std::function<std::shared_ptr<const ModelShare>(const AnalysedLayer&)>;

/// Whether a rollout of the layer may need the shares of its model.
bool mayNeedShares(const AnalysedLayer& of, const RolloutSettings& settings);

/// Of the layer at `of.index` and the token there; on another grid what a patch holds is shared out
/// by area. Throws InspectionError where signed maps are refused, or norms are needed and there are
/// none; Cancelled.
Rollout rollOut(const AnalysedLayer& of, int token, const RolloutSettings& settings,
                const SharesOf& shares = {}, const Progress& progress = {});

/// The mean of the rows of all patches, likewise: what a network sees that averages them for its
/// answer. Throws InspectionError also where the layer's queries are no patches.
Rollout rollOutPatches(const AnalysedLayer& of, const RolloutSettings& settings,
                       const SharesOf& shares = {}, const Progress& progress = {});

/// What was done to maps that are no softmax, in words: `magnitudes of signed maps (...), ...`;
/// empty for a rollout as published.
std::string rolloutDeviation(const Rollout& rollout);

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
                                          const SharesOf& shares = {},
                                          const Progress& progress = {});

/// `MODEL.LAYER.rollout` [height, width] and `.rollout_prefix`; of each layer that it went through,
/// the first one first, `.rollout_attention_weight`, `.rollout_negative_share` and
/// `.rollout_least_sum`, as RolloutLayer has them. Numbered from 2 for further queries.
NamedArrays rolloutArrays(const std::vector<LayerRollout>& rollouts);

}  // namespace softscope
