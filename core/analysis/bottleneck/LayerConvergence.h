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

/// The residual at which a head counts as inverted.
inline constexpr double convergedResidual = 1e-3;

/// What the curves say in a sentence: how many heads reach 1e-3, when, and how many fall with every
/// step until their floor.
std::string convergenceSummary(const std::vector<LayerConvergence>& layers);

/// `model,layer,head,scheme,iteration,residual,residual_raw,inverse_distance,reflexive_residual`
Table convergenceTable(const std::vector<LayerConvergence>& layers);

}  // namespace softscope
