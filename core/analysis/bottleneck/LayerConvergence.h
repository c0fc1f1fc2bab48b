#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/Convergence.h"
#include "core/array/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What is asked about the iteration.
struct ConvergenceSettings {
  /// Nothing for each mechanism's own, as its code was released.
  std::optional<InverseScheme> scheme;
  int iterations = 20;
  /// Iterate in float32.
  bool singlePrecision = false;
  /// Of the pseudo-inverse that the distance is measured to.
  double rcond = 1e-12;

  bool operator==(const ConvergenceSettings&) const = default;
};

/// How the iteration of each of a layer's heads comes near the inverse, or why there is none.
struct LayerConvergence {
  AnalysedLayer of;
  InverseScheme scheme = InverseScheme::Soft;
  std::vector<ConvergenceCurves> heads;
  std::string obstacle;
};

/// Of every head of each layer, by the scheme that was chosen or each mechanism's own. May throw
/// Cancelled.
std::vector<LayerConvergence> computeConvergence(const std::vector<AnalysedLayer>& layers,
                                                 const ConvergenceSettings& settings,
                                                 const Progress& progress = {});

/// For how many heads each of the two quantities of Proposition 2 falls with every step until its
/// floor; see fallsToItsFloor().
struct FallingHeads {
  int heads = 0;
  int residual = 0;         ///< |BVB - B|
  int inverseDistance = 0;  ///< |V - pinv(B)|
};
FallingHeads fallingHeads(const std::vector<LayerConvergence>& layers);

/// What the curves say in a sentence: how many heads reach 1e-3, when, and in how many each of the
/// two quantities of Proposition 2 falls with every step until its floor.
std::string convergenceSummary(const std::vector<LayerConvergence>& layers);

/// `model,layer,head,scheme,iteration,residual,residual_raw,inverse_distance,reflexive_residual,`
/// `residual_falls,inverse_distance_falls`, the last two being 1 in all rows of a head where the
/// quantity falls with every step until its floor, and 0 where it does not.
Table convergenceTable(const std::vector<LayerConvergence>& layers);

}  // namespace softscope
