#include "core/analysis/rollout/Rollout.h"
#include "core/array/ComparedSentence.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Returns an array with a number for every layer.
FloatArray ofLayers(const Rollout& rollout, double RolloutLayer::*number) {
  FloatArray array{{static_cast<std::int64_t>(rollout.layers.size())}, {}};
  for (const RolloutLayer& layer : rollout.layers) {
    array.values.push_back(static_cast<float>(layer.*number));
  }
  return array;
}

/// Returns the share of a rollout on patches other than the query's own, which the residual
/// connections keep large; nothing if there is none or a value is not finite.
std::optional<double> rolloutShareOfOthers(const LayerRollout& of) {
  const double patches = of.rollout.patches.cast<double>().sum();
  const double all = patches + of.rollout.prefix.cast<double>().sum();
  if (!std::isfinite(all) || !(all > 0)) return std::nullopt;
  return (patches - keptOfItself(of).value_or(0)) / all;
}

std::string rolloutSentence(const std::vector<LayerRollout>& rollouts) {
  Table shares{{"model", "layer", "query", "share"}, {}};
  std::map<std::pair<std::string, std::string>, std::int64_t> asked;
  for (const LayerRollout& of : rollouts) {
    const std::string& layer = of.of.layer().name;
    const std::int64_t query = asked[{of.of.model, layer}]++;
    if (!of.obstacle.empty()) continue;
    shares.add({of.of.model, layer, query, cellOf(rolloutShareOfOthers(of))});
  }
  return comparedSentence(
      shares, {.quantity = "the share of the rollout on patches other than the query's own",
               .column = "share"});
}

}  // namespace

std::vector<LayerRollout> computeRollouts(const AnalysisInput& input,
                                          const RolloutSettings& settings, const Picture* picture,
                                          const std::vector<PictureQuery>& queries,
                                          const SharesOf& shares, const Progress& progress) {
  std::vector<LayerRollout> rollouts;
  for (const AnalysedLayer& of : input.layers) {
    for (const PictureQuery& query : queries) {
      LayerRollout rollout{.of = of, .query = query};
      rollout.obstacle = obstacleOf([&] {
        rollout.token = queryToken(of.attention(), extentOf(picture, of.region), query);
        rollout.rollout = input.map == ShownMap::GradientProduct
                              ? rollOutGradients(of, rollout.token, progress)
                              : rollOut(of, rollout.token, settings, shares, progress);
      });
      rollouts.push_back(std::move(rollout));
    }
  }
  return rollouts;
}

std::vector<Eigen::Index> ownPatches(const LayerRollout& rollout) {
  const AttentionDescription& attention = rollout.of.attention();
  const auto grid = chosenGrid(attention, Direction::Rows);
  const bool isOnGrid =
      grid && !attention.queryPlaces && !singleTokenAt(attention, Direction::Rows, rollout.token);
  std::vector<Eigen::Index> patches;
  if (!isOnGrid) return patches;
  const TokenGrid& first = rollout.rollout.grid;
  const int patch = rollout.token - queryPrefix(attention);
  const auto from = [](int place, int count, int all) { return place * all / count; };
  const auto past = [](int place, int count, int all) {
    return ((place + 1) * all + count - 1) / count;
  };
  const int row = patch / grid->width;
  const int column = patch % grid->width;
  for (int y = from(row, grid->height, first.height); y < past(row, grid->height, first.height);
       ++y) {
    for (int x = from(column, grid->width, first.width); x < past(column, grid->width, first.width);
         ++x) {
      patches.push_back(Eigen::Index{y} * first.width + x);
    }
  }
  return patches;
}

std::optional<double> keptOfItself(const LayerRollout& rollout) {
  const std::vector<Eigen::Index> patches = ownPatches(rollout);
  if (patches.empty()) return std::nullopt;
  double kept = 0;
  for (const Eigen::Index patch : patches) kept += rollout.rollout.patches[patch];
  return kept;
}

NamedArrays rolloutArrays(const std::vector<LayerRollout>& rollouts) {
  NamedArrays arrays;
  std::map<std::string, int> counts;
  for (const LayerRollout& of : rollouts) {
    if (!of.obstacle.empty()) continue;
    const std::string layer = of.of.model + "." + layerName(of.of.layer());
    const int count = ++counts[layer];
    const std::string name =
        layer + ".rollout" + (count == 1 ? std::string() : "_" + std::to_string(count));
    const Rollout& rollout = of.rollout;
    arrays.emplace_back(name, FloatArray{{rollout.grid.height, rollout.grid.width},
                                         {rollout.patches.begin(), rollout.patches.end()}});
    if (rollout.prefix.size() > 0) {
      arrays.emplace_back(
          name + "_prefix",
          FloatArray{{rollout.prefix.size()}, {rollout.prefix.begin(), rollout.prefix.end()}});
    }
    if (!rollout.speaksFor.empty()) continue;
    arrays.emplace_back(name + "_attention_weight",
                        ofLayers(rollout, &RolloutLayer::attentionWeight));
    arrays.emplace_back(name + "_negative_share", ofLayers(rollout, &RolloutLayer::negativeShare));
    arrays.emplace_back(name + "_least_sum", ofLayers(rollout, &RolloutLayer::leastSum));
  }
  arrays.sentence = rolloutSentence(rollouts);
  return arrays;
}

}  // namespace softscope
