#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"

#include <Eigen/Core>

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// Returns all patches by falling score. Patches of the same score are ordered as in
/// randomPatchOrder() with that seed, so that a map that says nothing is no better and no worse
/// than chance; left to right and top to bottom would not ensure that. Scores that are NaN come
/// last.
std::vector<int> patchOrder(const Eigen::VectorXd& scores, std::uint32_t seed);

/// Returns an order of `patches`, chosen uniformly among all orders; the same on every machine.
std::vector<int> randomPatchOrder(int patches, std::uint32_t seed);

/// Returns a checksum of the picture as a network sees it: its size at the network's input and its
/// colours in 255 steps. Models whose means and deviations differ share it, and the file's place,
/// its name and other computations do not matter.
std::string pictureIdentity(const InputTensor& input, const InputTransform& transform);

/// Returns the seed of one random order of a picture: the first 32 bits of the SHA-256 of
/// `IDENTITY:NUMBER`. Every picture has its own orders, so that the error of chance falls with the
/// number of pictures.
std::uint32_t orderSeed(const std::string& identity, int number);

/// The number of the order that ranks patches of the same score; the orders that maps are compared
/// with are numbered from 1.
inline constexpr int tieOrderNumber = 0;

/// The source of the order in which patches are removed.
enum class PatchOrderSource {
  QuerySaliency,   ///< l1 norms of a layer's queries, summed over heads
  KeySaliency,     ///< l1 norms of a layer's keys, summed over heads
  ClassAttention,  ///< what the class token attends to, in the last layer where it asks
  Rollout,         ///< what the network's answer sees through all layers
  Received,        ///< what all queries of a layer attend to, on average
  // The maps of ClassMethod.
  ClassRollout,  ///< attention times its gradient, rolled out
  LeGrad,
  GradientTokens,
  GradCam,
  IntegratedGradients,
  Random,  ///< chance
};

/// Returns the order's name in tables: `query_saliency`, `class_attention`.
std::string orderName(PatchOrderSource of);

/// Returns the order's name in text: `query saliency`, `attention × gradient`.
std::string orderTitle(PatchOrderSource of);

/// Returns the source of the order in which the class maps of a method remove patches.
PatchOrderSource orderOf(ClassMethod method);

/// The importance of each patch of a grid over the input according to one map.
struct PatchScores {
  PatchOrderSource of = PatchOrderSource::QuerySaliency;
  /// The attention layer that the scores come from; the last one for rollout.
  std::string layer;
  /// True if queries are keys, so that both saliencies are the same.
  bool ofQueriesAndKeys = false;
  /// [grid] scores, larger for more important patches; shared out by area from the map's own grid.
  Eigen::VectorXd values;
  /// How a rollout's maps were changed, as in rolloutDeviation(); empty for other maps.
  std::string note;
  /// The reason why there is no such map; empty if there is one.
  std::string obstacle;
};

/// Returns the scores for the layers (at least one) of one model on one picture: saliency and
/// attention received for each layer; class attention and rollout once, since they are about the
/// whole network. The answer's rollout is the class token's row if there is a class token, and the
/// mean of all patches' rows otherwise. `shares` is passed to rollOut(), which may need it. May
/// throw Cancelled.
std::vector<PatchScores> patchScores(const std::vector<AnalysedLayer>& layers,
                                     const TokenGrid& grid, const DeletionSettings& settings,
                                     const SharesOf& shares = {}, const Progress& progress = {});

/// Returns the scores of class maps: each patch by how much it speaks for the class. `inspection`
/// is of the same network and input.
std::vector<PatchScores> patchScores(const ClassMaps& maps, const TokenGrid& grid,
                                     const Inspection& inspection);

}  // namespace softscope
