#include "core/analysis/tokens/TokenMatches.h"

#include "core/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace softscope {

namespace {

/// Returns the patches' tokens scaled to length 1; tokens of zeros stay.
Matrix directionsOf(const LayerTokens& layer) {
  constexpr float smallest = 1e-30f;
  const int patches = layer.grid.count();
  Matrix directions = layer.tokens.bottomRows(patches);
  directions.array().colwise() /= layer.norms.tail(patches).array().max(smallest);
  return directions;
}

int patchOf(const AnalysedTokens& of, PictureQuery query) {
  query.prefixToken.reset();
  return tokenAt(of.layer(), extentOf(of.shown.get(), of.region), query) - of.layer().prefix();
}

/// Returns `96 of 196 patches of cat and their most similar patches of dog are mutual nearest
/// neighbours`.
std::string matchSentence(const LayerMatches& matches) {
  const std::string count = std::to_string(matches.matches.size());
  return std::to_string(mutualCount(matches)) + " of " + count +
         (matches.matches.size() == 1 ? " patch of " : " patches of ") + matches.of.picture +
         " and their most similar patches of " + matches.other.picture +
         " are mutual nearest neighbours";
}

}  // namespace

std::vector<TokenMatch> nearestPatches(const LayerTokens& of, const LayerTokens& other,
                                       const Progress& progress) {
  constexpr Eigen::Index block = 256;
  const Matrix mine = directionsOf(of);
  const Matrix theirs = directionsOf(other);
  std::vector<TokenMatch> nearest(static_cast<std::size_t>(mine.rows()));
  // The nearest patch of `of` to each patch of `other`, and its cosine.
  std::vector<int> back(static_cast<std::size_t>(theirs.rows()), 0);
  Vector backCosine = Vector::Constant(theirs.rows(), -2.0f);
  for (Eigen::Index begin = 0; begin < mine.rows(); begin += block) {
    progress.throwIfCancelled();
    const Eigen::Index rows = std::min(block, mine.rows() - begin);
    const Matrix cosines = mine.middleRows(begin, rows) * theirs.transpose();
    for (Eigen::Index row = 0; row < rows; ++row) {
      const auto patch = static_cast<int>(begin + row);
      TokenMatch& match = nearest[static_cast<std::size_t>(patch)];
      match = {patch, 0, -2.0f, false};
      for (Eigen::Index column = 0; column < cosines.cols(); ++column) {
        const float cosine = cosines(row, column);
        if (cosine > match.cosine) {
          match.cosine = cosine;
          match.other = static_cast<int>(column);
        }
        if (cosine > backCosine[column]) {
          backCosine[column] = cosine;
          back[static_cast<std::size_t>(column)] = patch;
        }
      }
    }
  }
  for (TokenMatch& match : nearest) {
    match.mutual = back[static_cast<std::size_t>(match.other)] == match.patch;
    match.cosine = std::clamp(match.cosine, -1.0f, 1.0f);
  }
  return nearest;
}

std::vector<LayerMatches> layerMatches(const std::vector<AnalysedTokens>& layers,
                                       const TokenSettings& settings,
                                       const std::vector<PictureQuery>& queries,
                                       const Progress& progress) {
  const std::vector<AnalysedTokens> first = onFirstPicture(layers);
  std::vector<LayerMatches> all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].picture == layers.front().picture) continue;
    LayerMatches found{
        first[i], layers[i], nearestPatches(first[i].layer(), layers[i].layer(), progress), {}};
    std::ranges::stable_sort(found.matches, std::greater(), &TokenMatch::cosine);
    all.push_back(std::move(found));
  }
  if (all.empty()) throw InspectionError("matches are between two pictures, and there is only one");
  return settings.matched == MatchedPatches::All ? all : matchesOfQueries(all, queries);
}

std::vector<LayerMatches> matchesOfQueries(const std::vector<LayerMatches>& all,
                                           const std::vector<PictureQuery>& queries) {
  std::vector<LayerMatches> some;
  for (const LayerMatches& layer : all) {
    LayerMatches asked{layer.of, layer.other, {}, queries};
    for (const PictureQuery& query : queries) {
      asked.matches.push_back(
          *std::ranges::find(layer.matches, patchOf(layer.of, query), &TokenMatch::patch));
    }
    some.push_back(std::move(asked));
  }
  return some;
}

int mutualCount(const LayerMatches& matches) {
  return static_cast<int>(std::ranges::count(matches.matches, true, &TokenMatch::mutual));
}

std::vector<TokenMatch> drawnMatches(const LayerMatches& matches, int lines) {
  std::vector<TokenMatch> drawn;
  for (const TokenMatch& match : matches.matches) {
    if (match.mutual && static_cast<int>(drawn.size()) < lines) drawn.push_back(match);
  }
  return drawn;
}

Table matchTable(const std::vector<LayerMatches>& matches) {
  Table table{{"model", "layer", "picture", "row", "column", "other", "other_row", "other_column",
               "cosine", "mutual"},
              {}};
  for (const LayerMatches& of : matches) {
    const int width = of.of.layer().grid.width;
    const int otherWidth = of.other.layer().grid.width;
    for (const TokenMatch& match : of.matches) {
      table.add({of.of.model, of.of.layer().layer, of.of.picture, std::int64_t{match.patch / width},
                 std::int64_t{match.patch % width}, of.other.picture,
                 std::int64_t{match.other / otherWidth}, std::int64_t{match.other % otherWidth},
                 double{match.cosine}, std::int64_t{match.mutual ? 1 : 0}});
    }
  }
  if (matches.size() == 1) table.sentence = matchSentence(matches.front());
  return table;
}

}  // namespace softscope
