#pragma once

#include "core/Matrix.h"
#include "core/Progress.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/Share.h"
#include "core/analysis/TokenFlow.h"
#include "core/array/Npz.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// How the heads of a layer are combined into one map.
enum class RolloutHeads {
  Mean,
  Largest,  ///< of every entry, over heads; every row is computed, which takes n^2 time
};

/// How maps with negative entries are handled.
enum class SignedMaps {
  Absolute,  ///< their magnitudes are rolled out
  Refuse,
};

/// The weights of attention and of the residual connection around it in a layer.
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

/// How a rollout changed the attention map of one layer, and properties of the map's rows that the
/// rollout went through.
struct RolloutLayer {
  std::string name;
  /// Weight of the attention; the rest is the residual connection's.
  double attentionWeight = 0.5;
  /// True if the weight is by norms: |A V W| / (|A V W| + |X|), with each head weighted by its
  /// norm, instead of half each.
  bool byNorms = false;
  /// True if rows were divided by their l1 norms because they are not shares of one by themselves.
  bool divided = false;
  /// Share of negative weights in the magnitudes of all weights; the rollout takes them as
  /// positive.
  double negativeShare = 0;
  /// The smallest |sum| of a row over its l1 norm. If it is small, positive and negative weights
  /// cancel, and dividing a row by its sum would multiply noise by the inverse of this number.
  double leastSum = 1;

  bool isSigned() const;
};

/// How much a token of a layer sees of the first layer's tokens through all layers up to it: a row
/// of the product of w A + (1 - w) I over these, from the last layer to the first. As published, w
/// is a half and A a softmax, whose rows are shares of one ("Quantifying Attention Flow in
/// Transformers", 2020, arXiv 2005.00928, Section 3). Other rows are divided by the sums of their
/// magnitudes, which makes them shares but loses how large they were; w is then the attention's
/// part of |attention| + |residual stream|, by norms ("Incorporating Residual and Normalization
/// Layers into Analysis of Masked Language Models", 2021, arXiv 2109.07152). The product is never
/// formed: one row goes through the layers, in O(n r) for maps whose factors are not negative,
/// O(n^2) for the magnitudes of others.
struct Rollout {
  /// The grid of the first layer's patches, and how much is seen of each: [patches].
  TokenGrid grid;
  Vector patches;
  /// The share that ends on tokens beside the patches, in the order of TokenFlow: [the most such
  /// tokens of any layer that the rollout went through].
  Vector prefix;
  /// Layers that the rollout went through, first layer first.
  std::vector<RolloutLayer> layers;
  /// Number of layers skipped because they mix channels instead of tokens.
  int passed = 0;
  /// The name of the class whose gradient the attention was multiplied with, or of both classes;
  /// empty for a rollout of the attention alone.
  std::string speaksFor = {};
};

/// Returns the shares of a layer's model, without knock-outs; called when a layer needs them. The
/// function may be empty, or may return null for a model whose shares are not known, such as a
/// recording.
using SharesOf = std::function<std::shared_ptr<const ModelShare>(const AnalysedLayer&)>;

/// True if a rollout of the layer may need the shares of its model.
bool mayNeedShares(const AnalysedLayer& of, const RolloutSettings& settings);

/// Returns the rollout of `token` of the layer at `of.index`; between different grids, the patches'
/// values are shared out by area. Throws InspectionError if signed maps are refused, or if norms
/// are needed but not available; may throw Cancelled.
Rollout rollOut(const AnalysedLayer& of, int token, const RolloutSettings& settings,
                const SharesOf& shares = {}, const Progress& progress = {});

/// Returns the mean of the rollouts of all patches: what a network sees that averages its patches
/// for its answer. Throws like rollOut(), and also if the layer's queries are not patches.
Rollout rollOutPatches(const AnalysedLayer& of, const RolloutSettings& settings,
                       const SharesOf& shares = {}, const Progress& progress = {});

/// Returns a flow that is one on a layer's token, among its queries, and zero elsewhere. Throws
/// InspectionError if neither queries nor keys are patches.
TokenFlow flowOfToken(const AttentionDescription& attention, int token);

/// Describes how maps other than a softmax were changed: `magnitudes of signed maps (...), ...`;
/// empty for a rollout as published.
std::string rolloutDeviation(const Rollout& rollout);

/// A rollout, with its layer and the query it starts from.
struct LayerRollout {
  AnalysedLayer of;
  PictureQuery query;
  int token = 0;
  Rollout rollout;
  std::string obstacle;
};

/// Returns the patches of the first layer that the query's own patch covers, in row-major order;
/// none for a token that is no patch.
std::vector<Eigen::Index> ownPatches(const LayerRollout& rollout);

/// Returns what the query's own patch has kept of itself: the sum over its ownPatches(). Nothing
/// for a token that is no patch.
std::optional<double> keptOfItself(const LayerRollout& rollout);

/// Returns a rollout for each layer and each query on the picture: of the input's attention, or of
/// its product with a gradient.
std::vector<LayerRollout> computeRollouts(const AnalysisInput& input,
                                          const RolloutSettings& settings, const Picture* picture,
                                          const std::vector<PictureQuery>& queries,
                                          const SharesOf& shares = {},
                                          const Progress& progress = {});

/// Returns `MODEL.LAYER.rollout` [height, width] and `.rollout_prefix`; and, with an entry for each
/// layer that the rollout of attention went through, first layer first,
/// `.rollout_attention_weight`, `.rollout_negative_share` and `.rollout_least_sum`, as in
/// RolloutLayer. Names are numbered from 2 for further queries.
NamedArrays rolloutArrays(const std::vector<LayerRollout>& rollouts);

/// Returns the rollout of attention times gradient of `token` of the layer at `of.index`, without
/// the token itself: what in the attention of all layers up to this one brings to the token
/// something that speaks for the class whose gradient the inspection holds. From the token that an
/// answer is read from, behind the last layer, it is that of ClassMethod::GradientRollout. Takes
/// the time of all rows that the flow goes through, at most n^2 (r + d') per layer, and memory of a
/// strip of rows. Throws InspectionError if a layer has no such gradient; may throw Cancelled.
Rollout rollOutGradients(const AnalysedLayer& of, int token, const Progress& progress = {});

}  // namespace softscope
