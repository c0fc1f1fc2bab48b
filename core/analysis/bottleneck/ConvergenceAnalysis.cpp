#include "core/analysis/bottleneck/ConvergenceAnalysis.h"

#include <algorithm>

namespace softscope {

std::vector<LayerConvergence> computeConvergence(const std::vector<AnalysedLayer>& layers,
                                                 const ConvergenceSettings& settings,
                                                 const Progress& progress) {
  std::vector<LayerConvergence> results;
  for (const AnalysedLayer& layer : layers) results.push_back({layer, {}, {}, {}});
  const auto obstacles = forEachLayer(layers, progress, [&](std::size_t i, const Progress& part) {
    const auto own = schemesFor(layers[i].attention().mechanism);
    LayerConvergence& result = results[i];
    result.scheme = settings.scheme.value_or(own.empty() ? InverseScheme::Soft : own.front());
    result.heads = convergence(
        layers[i].layer(),
        {result.scheme, settings.iterations, settings.singlePrecision, settings.rcond}, part);
  });
  for (std::size_t i = 0; i < results.size(); ++i) results[i].obstacle = obstacles[i];
  return results;
}

FallingHeads fallingHeads(const std::vector<LayerConvergence>& layers) {
  FallingHeads falling;
  for (const LayerConvergence& layer : layers) {
    for (const ConvergenceCurves& head : layer.heads) {
      ++falling.heads;
      falling.residual += fallsToItsFloor(head.residual) ? 1 : 0;
      falling.inverseDistance += fallsToItsFloor(head.inverseDistance) ? 1 : 0;
    }
  }
  return falling;
}

namespace {

/// Returns `3 of 5`, `none` or `all`.
std::string countText(int count, int all) {
  if (count == 0) return "none";
  return count == all ? "all" : std::to_string(count) + " of " + std::to_string(all);
}

}  // namespace

std::string convergenceSummary(const std::vector<LayerConvergence>& layers) {
  const FallingHeads falling = fallingHeads(layers);
  int reached = 0;
  int first = 0;
  int last = 0;
  for (const LayerConvergence& layer : layers) {
    for (const ConvergenceCurves& head : layer.heads) {
      const auto step = firstWithin(head.residual, convergedResidual);
      if (!step) continue;
      first = reached == 0 ? *step : std::min(first, *step);
      last = std::max(last, *step);
      ++reached;
    }
  }
  const std::string all = std::to_string(falling.heads);
  std::string text = std::to_string(reached) + " of " + all + " heads reach a residual of 0.001";
  if (reached > 0) {
    text += first == last
                ? " after " + std::to_string(first) + " steps"
                : " after " + std::to_string(first) + " to " + std::to_string(last) + " steps";
  }
  return text + "; with every step until its floor the residual falls in " +
         countText(falling.residual, falling.heads) +
         ", the distance to the pseudo-inverse B⁺ in " +
         countText(falling.inverseDistance, falling.heads) + " (Proposition 2)";
}

Table convergenceTable(const std::vector<LayerConvergence>& layers) {
  Table table{
      {"model", "layer", "head", "scheme", "iteration", "residual", "residual_raw",
       "inverse_distance", "reflexive_residual", "residual_falls", "inverse_distance_falls"},
      {}};
  for (const LayerConvergence& layer : layers) {
    for (std::size_t head = 0; head < layer.heads.size(); ++head) {
      const ConvergenceCurves& curves = layer.heads[head];
      const std::int64_t residualFalls = fallsToItsFloor(curves.residual) ? 1 : 0;
      const std::int64_t distanceFalls = fallsToItsFloor(curves.inverseDistance) ? 1 : 0;
      for (std::size_t k = 0; k < curves.residual.size(); ++k) {
        table.add({layer.of.model, layer.of.layer().name, static_cast<std::int64_t>(head),
                   schemeName(layer.scheme), static_cast<std::int64_t>(k), curves.residual[k],
                   curves.residualRaw[k], curves.inverseDistance[k], curves.reflexiveResidual[k],
                   residualFalls, distanceFalls});
      }
    }
  }
  table.sentence = convergenceSummary(layers) + ".";
  return table;
}

}  // namespace softscope
