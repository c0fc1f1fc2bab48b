#include "core/analysis/SaliencyAnalysis.h"

#include "core/attention/Mechanism.h"

#include <utility>

namespace softscope {

namespace {

SaliencyMap scaled(const Vector& norms) {
  SaliencyMap map{
      .norms = norms, .values = {}, .smallest = norms.minCoeff(), .largest = norms.maxCoeff()};
  const float range = map.largest - map.smallest;
  map.values = (norms.array() - map.smallest) / (range > 0 ? range : 1);
  return map;
}

/// Returns the saliency of `norms` [heads, tokens], in which `suffix` tokens stand behind the
/// patches.
std::optional<Saliency> saliency(const Matrix& norms, const std::optional<TokenGrid>& grid,
                                 int suffix) {
  if (norms.size() == 0 || !grid || norms.cols() < grid->count() + suffix) return std::nullopt;
  const auto patches = norms.middleCols(norms.cols() - suffix - grid->count(), grid->count());
  Saliency result{.grid = *grid, .summed = scaled(patches.colwise().sum().transpose())};
  for (Eigen::Index head = 0; head < patches.rows(); ++head) {
    result.heads.push_back(scaled(patches.row(head).transpose()));
  }
  return result;
}

/// Returns the array's name: `query_sum`, `key_head_3`.
std::string arrayName(const ShownSaliency& map) {
  const std::string tokens = map.queries ? "query_" : "key_";
  return tokens + (map.head ? "head_" + std::to_string(*map.head) : "sum");
}

/// Explains that a layer does not tell the norms of its `tokens`.
std::string unknownNorms(const std::string& tokens) {
  return "the norms of this layer's " + tokens +
         " are not known (a recording tells them if it holds q and k, or q_l1 and k_l1); choose ";
}

std::string saliencyObstacle(const LayerSaliency& saliency, SaliencySide of) {
  if (saliency.queries || saliency.keys) return {};
  const LayerInspection& layer = saliency.of.layer();
  const AttentionDescription& attention = saliency.of.attention();
  const std::string kind = "attention of the kind " + titleOfMechanism(attention.mechanism);
  const bool lacksQueries = attention.queryGrid && layer.queryL1.size() == 0;
  const bool lacksKeys = attention.keyGrid && layer.keyL1.size() == 0;
  if (of == SaliencySide::Keys && querySaliency(layer)) {
    if (lacksKeys) return unknownNorms("keys") + "its queries";
    return kind +
           " has keys that are not patches, so their norms have no place on the picture; "
           "choose its queries";
  }
  if (of == SaliencySide::Queries && keySaliency(layer)) {
    if (lacksQueries) return unknownNorms("queries") + "its keys";
    return kind +
           " has queries that are not patches, so their norms have no place on the picture; "
           "choose its keys";
  }
  if (lacksQueries || lacksKeys) return unknownNorms("queries and keys") + "another layer";
  return kind +
         " has no queries or keys that are patches, so there are no norms to lay over the "
         "picture; choose another layer";
}

}  // namespace

std::optional<Saliency> querySaliency(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  return saliency(layer.queryL1, attention.queryGrid, attention.suffixTokens);
}

std::optional<Saliency> keySaliency(const LayerInspection& layer) {
  const AttentionDescription& attention = layer.attention->description();
  return saliency(layer.keyL1, attention.keyGrid, attention.suffixTokens);
}

bool keysAreQueries(const LayerInspection& layer) {
  return layer.queryL1.size() > 0 && layer.queryL1.rows() == layer.keyL1.rows() &&
         layer.queryL1.cols() == layer.keyL1.cols() && layer.queryL1 == layer.keyL1;
}

std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads) {
  std::vector<LayerSaliency> saliencies;
  for (const AnalysedLayer& layer : layers) {
    LayerSaliency saliency{.of = layer};
    saliency.keysAreQueries = keysAreQueries(layer.layer());
    if (settings.of != SaliencySide::Keys || saliency.keysAreQueries) {
      saliency.queries = querySaliency(layer.layer());
    }
    if (settings.of != SaliencySide::Queries && !saliency.keysAreQueries) {
      saliency.keys = keySaliency(layer.layer());
    }
    saliency.obstacle = saliencyObstacle(saliency, settings.of);
    saliency.heads = settings.eachHead ? headsOrAll(layer, {}) : heads;
    if (!saliency.obstacle.empty()) saliency.heads.clear();
    for (const int head : saliency.heads) layer.layer().attention->checkHead(head);
    saliencies.push_back(std::move(saliency));
  }
  return saliencies;
}

std::vector<ShownSaliency> shownSaliency(const LayerSaliency& saliency) {
  const std::pair<const std::optional<Saliency>&, bool> sides[] = {{saliency.queries, true},
                                                                   {saliency.keys, false}};
  std::vector<ShownSaliency> maps;
  for (const auto& [side, queries] : sides) {
    if (side) maps.push_back({&*side, &side->summed, queries, std::nullopt});
  }
  for (const auto& [side, queries] : sides) {
    if (!side) continue;
    for (const int head : saliency.heads) {
      maps.push_back({&*side, &side->heads[static_cast<std::size_t>(head)], queries, head});
    }
  }
  return maps;
}

NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies) {
  NamedArrays arrays;
  for (const LayerSaliency& saliency : saliencies) {
    const std::string prefix = saliency.of.model + "." + layerName(saliency.of.layer()) + ".";
    for (const ShownSaliency& map : shownSaliency(saliency)) {
      const Vector& norms = map.map->norms;
      arrays.emplace_back(
          prefix + arrayName(map),
          FloatArray{{map.of->grid.height, map.of->grid.width}, {norms.begin(), norms.end()}});
    }
  }
  return arrays;
}

}  // namespace softscope
