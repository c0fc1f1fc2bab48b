#include "core/analysis/reach/ReachAnalysis.h"

#include "core/Error.h"
#include "core/array/ComparedSentence.h"
#include "core/text/Words.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

FloatArray oneLineOf(const std::vector<double>& values) {
  return {{static_cast<std::int64_t>(values.size())}, {values.begin(), values.end()}};
}

/// Says how much comes from the token itself or, where that is not defined, how far half of the
/// influence reaches.
std::string reachSentence(const std::vector<LayerReach>& reaches) {
  Table layers{{"model", "layer", "own", "radius"}, {}};
  bool isOfPixels = true;
  for (const LayerReach& of : reaches) {
    if (!of.obstacle.empty()) continue;
    isOfPixels = of.reach.from == ReachSource::Pixels;
    layers.add({of.of.model, of.of.layer().name, cellOf(ownShare(of.reach)),
                cellOf(reachRadius(of.reach))});
  }
  const std::string own = comparedSentence(
      layers, {.quantity = "the token's own share of the influence on it", .column = "own"});
  if (!own.empty()) return own;
  return comparedSentence(
      layers, {.quantity = isOfPixels ? "the radius in pixels that holds half of the influence"
                                      : "the radius in patches that holds half of the influence",
               .column = "radius"});
}

}  // namespace

std::vector<LayerReach> computeReach(const std::vector<AnalysedLayer>& layers, const Model& model,
                                     const InputTensor& input, ReachRequest request,
                                     const ReachSettings& settings, const ReachMeasurer& measure,
                                     const Progress& progress) {
  request.of = settings.of;
  request.from = settings.from;
  request.behind = settings.behind;
  request.directions = settings.directions;
  request.layers.clear();
  for (const AnalysedLayer& layer : layers) request.layers.push_back(layer.layer().name);
  std::vector<Reach> measured = measure(model, input, request, progress);
  std::vector<LayerReach> reaches;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerReach of{.of = layers[i], .reach = std::move(measured.at(i)), .radii = {}, .obstacle = {}};
    of.obstacle = of.reach.obstacle;
    if (const auto radius = of.obstacle.empty() ? reachRadius(of.reach) : std::nullopt) {
      of.radii.push_back(*radius);
    }
    reaches.push_back(std::move(of));
  }
  return reaches;
}

void addPicture(std::vector<LayerReach>& mean, const std::vector<LayerReach>& picture) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    LayerReach& sum = mean[i];
    const LayerReach& added = picture.at(i);
    if (!sum.obstacle.empty() || !added.obstacle.empty()) continue;
    if (sum.reach.height != added.reach.height || sum.reach.width != added.reach.width) {
      throw InspectionError(
          "the pictures reach the network in different sizes, so that they have "
          "no mean; give --size HxW");
    }
    const double before = sum.pictures;
    sum.reach.pixels = (sum.reach.pixels * before + added.reach.pixels) / (before + 1);
    sum.reach.prefix = (sum.reach.prefix * before + added.reach.prefix) / (before + 1);
    sum.radii.insert(sum.radii.end(), added.radii.begin(), added.radii.end());
    ++sum.pictures;
  }
}

std::string radiusText(const LayerReach& of) {
  const auto radius = reachRadius(of.reach);
  if (!radius) return {};
  return fixedText(*radius, 1) + " of " +
         std::to_string(std::min(of.reach.height, of.reach.width)) +
         (of.reach.from == ReachSource::Pixels ? " pixels" : " patches");
}

NamedArrays reachArrays(const std::vector<LayerReach>& reaches) {
  NamedArrays arrays;
  for (const LayerReach& of : reaches) {
    if (!of.obstacle.empty()) continue;
    const std::string name = of.of.model + "." + layerName(of.of.layer());
    arrays.emplace_back(name + ".reach",
                        FloatArray{{of.reach.height, of.reach.width},
                                   {of.reach.pixels.begin(), of.reach.pixels.end()}});
    if (of.reach.prefix.size() > 0) {
      arrays.emplace_back(name + ".reach_prefix",
                          oneLineOf({of.reach.prefix.begin(), of.reach.prefix.end()}));
    }
    if (const auto own = ownShare(of.reach)) {
      arrays.emplace_back(name + ".own_share", oneLineOf({*own}));
    }
    const auto radius = reachRadius(of.reach);
    if (!radius) continue;
    arrays.emplace_back(name + ".radius", oneLineOf({*radius}));
    arrays.emplace_back(name + ".radii", oneLineOf(of.radii));
    arrays.emplace_back(name + ".uniform_radius", oneLineOf({*uniformRadius(of.reach)}));
  }
  arrays.sentence = reachSentence(reaches);
  return arrays;
}

}  // namespace softscope
