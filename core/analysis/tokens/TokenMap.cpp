#include "core/analysis/tokens/TokenMap.h"

#include "core/Quantile.h"
#include "core/array/ComparedSentence.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace softscope {

namespace {

std::string arrayName(const AnalysedTokens& of) {
  std::string layer = of.layer().layer;
  std::replace(layer.begin(), layer.end(), '.', '_');
  const std::string picture = of.picture.empty() ? "" : of.picture + ".";
  return picture + of.model + "." + layer + ".";
}

/// Returns the numbered name: `similarity`, `similarity_2`.
std::string numbered(const std::string& name, int count) {
  return count == 1 ? name : name + "_" + std::to_string(count);
}

FloatArray onGrid(const TokenGrid& grid, const Vector& values) {
  return {{grid.height, grid.width}, {values.begin(), values.end()}};
}

/// Returns the components of all layers; of foregrounds like a token, the maps of each layer for
/// all queries, one layer after the other.
std::vector<TokenMap> askedComponents(const std::vector<AnalysedTokens>& layers,
                                      const TokenSettings& settings,
                                      const std::vector<PictureQuery>& queries,
                                      const std::vector<AnalysedTokens>& basis) {
  if (!settings.asksForeground()) return componentMaps(layers, settings.foreground, basis);
  std::vector<TokenMap> maps(layers.size() * queries.size());
  for (std::size_t asked = 0; asked < queries.size(); ++asked) {
    std::vector<TokenMap> some = componentMaps(layers, settings.foreground, basis, queries[asked]);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      maps[i * queries.size() + asked] = std::move(some[i]);
    }
  }
  return maps;
}

/// Returns the similarity of all patches to the token that a query refers to on the picture of
/// `asked`, which may be that of `of`.
TokenMap similarityMap(const AnalysedTokens& of, const AnalysedTokens& asked,
                       const PictureQuery& query) {
  TokenMap map{.of = of, .kind = TokenQuantity::Similarity};
  map.query = query;
  map.asked = asked;
  map.token = tokenAt(asked.layer(), extentOf(asked.shown.get(), asked.region), query);
  map.values = cosineSimilarity(of.layer(), asked.layer(), map.token);
  if (of.picture != asked.picture) {
    Eigen::Index best = 0;
    map.values.maxCoeff<Eigen::PropagateNumbers>(&best);
    map.best = static_cast<int>(best);
  }
  return map;
}

/// Returns the patch that is most alike, the asked one itself left out; nothing if there is none.
std::optional<int> mostAlikePatch(const TokenMap& map) {
  const bool asksOwn = !map.vector && isAskedOn(map);
  const int own = asksOwn ? map.token - map.asked.layer().prefix() : -1;
  std::optional<int> best;
  for (int patch = 0; patch < map.values.size(); ++patch) {
    if (patch == own || !std::isfinite(map.values[patch])) continue;
    if (!best || map.values[patch] > map.values[*best]) best = patch;
  }
  return best;
}

/// Returns the number that the sentence compares.
std::optional<double> tokenNumber(const TokenMap& map) {
  if (map.kind == TokenQuantity::Components) {
    return map.explained[0] + map.explained[1] + map.explained[2];
  }
  if (map.kind == TokenQuantity::Norms) {
    if (map.values.size() == 0 || !(map.median > 0)) return std::nullopt;
    return double{map.values.maxCoeff()} / map.median;
  }
  const auto best = mostAlikePatch(map);
  return best ? std::optional<double>(map.values[*best]) : std::nullopt;
}

std::string tokenSentence(const std::vector<TokenMap>& maps) {
  if (maps.empty()) return {};
  const TokenMap& first = maps.front();
  if (maps.size() == 1 && first.kind == TokenQuantity::Similarity) {
    const auto best = mostAlikePatch(first);
    if (!best) return {};
    return "Most similar to " + tokenNameOf(first) + " is patch " +
           patchName(first.of.layer(), *best) + ", with a cosine of " +
           roundedText(first.values[*best]) + ".";
  }
  Table numbers{{"picture", "model", "layer", "query", "number"}, {}};
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> asked;
  for (const TokenMap& map : maps) {
    const std::string& layer = map.of.layer().layer;
    numbers.add({map.of.picture, map.of.model, layer,
                 asked[{map.of.picture, map.of.model, layer}]++, cellOf(tokenNumber(map))});
  }
  const char* quantity =
      first.kind == TokenQuantity::Components
          ? "the share of the patches' variance that the three components explain"
      : first.kind == TokenQuantity::Norms
          ? "the largest norm of a patch in multiples of the median"
          : "the largest cosine with another patch";
  return comparedSentence(numbers, {.quantity = quantity, .column = "number"});
}

}  // namespace

int tokenAt(const LayerTokens& layer, const PictureExtent& extent, const PictureQuery& query) {
  if (query.prefixToken && *query.prefixToken < layer.prefix()) return *query.prefixToken;
  const Patch patch = patchAt(layer.grid, extent, query);
  return layer.prefix() + patch.row * layer.grid.width + patch.column;
}

Vector cosinesTo(const Eigen::Ref<const Matrix>& patches, const Vector& norms,
                 const Vector& direction, float length) {
  // Eigen's own limits may turn NaN into one of them.
  const auto cosine = [](float product, float lengths) {
    // Replaces the norm of a zero token, which has no angle to others.
    constexpr float smallest = 1e-30f;
    return std::clamp(product / std::max(smallest, lengths), -1.0f, 1.0f);
  };
  const Vector products = patches * direction;
  return products.binaryExpr(norms * length, cosine);
}

Vector cosineSimilarity(const LayerTokens& layer, const LayerTokens& asked, int token) {
  const int patches = layer.grid.count();
  return cosinesTo(layer.tokens.bottomRows(patches), layer.norms.tail(patches),
                   asked.tokens.row(token), asked.norms[token]);
}

bool isAskedOn(const TokenMap& map) {
  return map.asked.inspection && map.of.picture == map.asked.picture;
}

std::vector<AnalysedTokens> onFirstPicture(const std::vector<AnalysedTokens>& layers) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  std::map<std::pair<std::string, std::size_t>, AnalysedTokens> first;
  std::vector<AnalysedTokens> found;
  for (const AnalysedTokens& of : layers) {
    const std::size_t rank = seen[{of.picture, of.model}]++;
    found.push_back(first.try_emplace({of.model, rank}, of).first->second);
  }
  return found;
}

std::vector<TokenMap> tokenMaps(const std::vector<AnalysedTokens>& layers,
                                const TokenSettings& settings,
                                const std::vector<PictureQuery>& queries,
                                const std::vector<AnalysedTokens>& basis) {
  if (settings.of == TokenQuantity::Components) {
    return askedComponents(layers, settings, queries, basis);
  }
  const std::vector<AnalysedTokens> asked = onFirstPicture(layers);
  std::vector<TokenMap> maps;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (settings.of == TokenQuantity::Norms) {
      maps.push_back(normMap(layers[i], settings.outlierRatio));
      continue;
    }
    for (const PictureQuery& query : queries) {
      maps.push_back(similarityMap(layers[i], asked[i], query));
    }
  }
  return maps;
}

std::string patchName(const LayerTokens& layer, int patch) {
  return "(" + std::to_string(patch / layer.grid.width) + ", " +
         std::to_string(patch % layer.grid.width) + ")";
}

std::string tokenNameOf(const TokenMap& map) {
  if (map.vector) return map.vector->name;
  const LayerTokens& layer = map.asked.layer();
  if (map.token < layer.prefix()) {
    AttentionDescription attention;
    attention.prefixNames = layer.prefixNames;
    return prefixTokenName(attention, map.token);
  }
  return "patch " + patchName(layer, map.token - layer.prefix());
}

TokenMap normMap(const AnalysedTokens& of, double outlierRatio) {
  const LayerTokens& layer = of.layer();
  TokenMap map{.of = of, .kind = TokenQuantity::Norms};
  map.values = layer.norms.tail(layer.grid.count());
  map.prefixNorms = layer.norms.head(layer.prefix());
  map.median = medianOf<float>({map.values.begin(), map.values.end()});
  for (int patch = 0; patch < layer.grid.count(); ++patch) {
    if (map.values[patch] > outlierRatio * map.median) map.outliers.push_back(patch);
  }
  std::stable_sort(map.outliers.begin(), map.outliers.end(),
                   [&](int a, int b) { return map.values[a] > map.values[b]; });
  return map;
}

NamedArrays tokenArrays(const std::vector<TokenMap>& maps) {
  NamedArrays arrays;
  std::map<std::string, int> counts;
  for (const TokenMap& map : maps) {
    const TokenGrid& grid = map.of.layer().grid;
    const std::string name = arrayName(map.of);
    switch (map.kind) {
      case TokenQuantity::Similarity:
        arrays.emplace_back(name + numbered("similarity", ++counts[name]),
                            onGrid(grid, map.values));
        break;
      case TokenQuantity::Components:
        arrays.emplace_back(name + numbered("components", ++counts[name]),
                            FloatArray{{grid.height, grid.width, 3},
                                       {map.colors.data(), map.colors.data() + map.colors.size()}});
        break;
      case TokenQuantity::Norms:
        arrays.emplace_back(name + "norms", onGrid(grid, map.values));
        if (map.prefixNorms.size() > 0) {
          arrays.emplace_back(name + "prefix_norms",
                              FloatArray{{map.prefixNorms.size()},
                                         {map.prefixNorms.begin(), map.prefixNorms.end()}});
        }
        break;
      case TokenQuantity::Matches:
        break;
    }
  }
  arrays.sentence = tokenSentence(maps);
  return arrays;
}

}  // namespace softscope
