#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/analysis/rollout/Rollout.h"

#include <tuple>

namespace softscope {

inline constexpr ChoiceName<RolloutHeads> rolloutNames[] = {
    {RolloutHeads::Mean, "mean", "Mean over heads"},
    {RolloutHeads::Largest, "largest", "Largest over heads"}};

inline constexpr ChoiceName<SignedMaps> signedMapNames[] = {
    {SignedMaps::Absolute, "absolute", "Magnitudes of signed maps"},
    {SignedMaps::Refuse, "refuse", "No signed maps"}};

inline constexpr ChoiceName<ResidualWeight> residualNames[] = {
    {ResidualWeight::Automatic, "auto", "Residual: automatic"},
    {ResidualWeight::Half, "half", "Residual: half each"},
    {ResidualWeight::Norms, "norms", "Residual: by norms"}};

inline constexpr std::tuple rolloutSettings{
    ChoiceSetting<RolloutSettings, RolloutHeads>{
        {.key = "heads",
         .flag = "--fusion",
         .type = "mean|largest",
         .help = "How the heads of a layer become one map: their mean, or the largest entry over "
                 "them, which takes n x n time",
         .label = "Heads",
         .tip = "How the heads of each layer become one map"},
        &RolloutSettings::heads,
        rolloutNames},
    ChoiceSetting<RolloutSettings, SignedMaps>{
        {.key = "signed",
         .flag = "--signed",
         .type = "absolute|refuse",
         .help = "Maps with negative weights: roll out their magnitudes, in rows divided by their "
                 "l1 norms, or refuse them",
         .label = "Signs",
         .tip = "What is done with maps whose weights are negative in part"},
        &RolloutSettings::signedMaps,
        signedMapNames},
    ChoiceSetting<RolloutSettings, ResidualWeight>{
        {.key = "residual",
         .flag = "--residual",
         .type = "auto|half|norms",
         .help = "What attention and the residual connection beside it count for: half each, as "
                 "published, by the norms of what they add, or (auto) half where rows sum to one "
                 "and by norms elsewhere",
         .label = "Residual",
         .tip = "What attention and the residual connection beside it count for in each layer"},
        &RolloutSettings::residual,
        residualNames}};

/// The analysis of what a token sees through all layers.
struct RolloutAnalysis {
  using Settings = RolloutSettings;
  static constexpr AnalysisDescription about{
      .name = "rollout",
      .title = "Rollout",
      .group = AnalysisGroup::Maps,
      .summary = "what a token sees of the picture through all layers",
      .asksQueries = true,
      .liesOnPatches = true,
      .takesMaps = true,
  };
  static constexpr const auto& settingList = rolloutSettings;

  /// Returns the reason why there is no rollout of a map; empty if there is.
  static const char* mapObstacle(ShownMap map) {
    if (map == ShownMap::Attention || map == ShownMap::GradientProduct) return "";
    return "rollout follows the attention itself, or its product with the gradient of a class";
  }
};

}  // namespace softscope
