#include "core/analysis/reach/Reach.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace softscope {

namespace {

/// Fewer than a figure follows, since the mean over pictures averages over directions as well.
constexpr int surveyedDirections = 4;

/// Returns what reaches the middle token behind each measured block.
std::vector<Reach> reachOfLayers(const ModelPass& pass) {
  return pass.engine().measureReach(pass.model(), pass.input(),
                                    {.layers = pass.layers(), .directions = surveyedDirections},
                                    pass.progress());
}

std::optional<double> radiusOfLayer(const LayerPass& layer) {
  const auto& reaches =
      layer.model.shared<std::vector<Reach>>("reach", [&] { return reachOfLayers(layer.model); });
  const auto found = std::ranges::find(reaches, layer.layer.name, &Reach::layer);
  if (found == reaches.end() || !found->obstacle.empty()) return std::nullopt;
  return reachRadius(*found);
}

std::int64_t passesOfReach(const std::vector<LayerSummary>& layers) {
  return 1 + surveyedDirections * static_cast<std::int64_t>(layers.size());
}

}  // namespace

std::vector<Measure> reachMeasures() {
  return {{.name = "reach_radius",
           .title = "Radius that holds half of what reaches the middle token",
           .unit = "pixels of the input",
           .source =
               "Understanding the Effective Receptive Field in Deep Convolutional Neural Networks, "
               "2016",
           .value = radiusOfLayer,
           .passes = passesOfReach}};
}

}  // namespace softscope
