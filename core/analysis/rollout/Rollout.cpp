#include "core/analysis/rollout/Rollout.h"

#include "core/Error.h"
#include "core/analysis/rollout/GridShare.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/Mechanism.h"
#include "core/attention/RowBlocks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// What of the query's token is where, on the way down.
struct Flow {
  Eigen::VectorXd prefix;
  Eigen::VectorXd patches;
  TokenGrid grid;
};

Eigen::VectorXd joined(const Flow& flow) {
  Eigen::VectorXd all(flow.prefix.size() + flow.patches.size());
  all << flow.prefix, flow.patches;
  return all;
}

/// Weights on a layer's tokens: `prefix` of them, then patches on `grid`.
Flow split(const Eigen::VectorXd& all, int prefix, const TokenGrid& grid) {
  return {all.head(prefix), all.tail(all.size() - prefix), grid};
}

/// Onto the tokens of an earlier layer. Tokens before the patches that it does not have yet hold
/// what they held: nothing of the picture has reached them there.
Flow carried(const Flow& flow, const TokenGrid& grid) {
  return {flow.prefix, sharedByArea(flow.patches, flow.grid, grid), grid};
}

/// The largest entry over heads, row by row, times the weights.
Eigen::VectorXd largestTransposedTimes(const AttentionMap& map, const Eigen::VectorXd& weights,
                                       const Progress& progress) {
  const AttentionDescription& attention = map.description();
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(attention.keys);
  constexpr int strip = 64;
  for (int first = 0; first < attention.queries; first += strip) {
    progress.throwIfCancelled();
    const int rows = std::min(strip, attention.queries - first);
    Matrix largest = map.block(0, first, 0, rows, attention.keys);
    for (int head = 1; head < attention.heads; ++head) {
      largest = largest.cwiseMax(map.block(head, first, 0, rows, attention.keys));
    }
    for (int row = 0; row < rows; ++row) {
      const double sum = largest.row(row).cast<double>().sum();
      if (!(sum > 0)) throw InspectionError("its rows sum to nothing");
      seen += weights[first + row] / sum * largest.row(row).cast<double>().transpose();
    }
  }
  return seen;
}

/// Rows that sum to nothing have no shares to speak of.
Eigen::VectorXd dividedBySums(const Eigen::VectorXd& weights, const Eigen::VectorXd& sums) {
  constexpr double least = 1e-6;
  const double largest = sums.cwiseAbs().maxCoeff();
  if (!(sums.cwiseAbs().minCoeff() > least * largest)) {
    throw InspectionError(
        "some of its rows sum to nothing, so that it has no shares of a whole to multiply");
  }
  return weights.cwiseQuotient(sums);
}

/// Of a map without factors, so that both products need but one pass over its rows.
constexpr std::size_t heldBytes = std::size_t{256} << 20;

Eigen::VectorXd meanTransposedTimes(const AttentionMap& map, const Eigen::VectorXd& weights,
                                    const Progress& progress, bool& divided) {
  const AttentionDescription& attention = map.description();
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(attention.keys);
  const bool sumsToOne = attention.mechanism == "softmax";
  for (int head = 0; head < attention.heads; ++head) {
    const auto product = mapProduct(map, head, heldBytes, progress);
    if (sumsToOne) {
      seen += product->transposedTimes(weights);
      continue;
    }
    divided = true;
    const Eigen::VectorXd sums = product->times(Eigen::VectorXd::Ones(attention.keys));
    seen += product->transposedTimes(dividedBySums(weights, sums));
  }
  return seen / attention.heads;
}

class RolloutWalk {
 public:
  RolloutWalk(RolloutHeads heads, const Progress& progress) : heads_(heads), progress_(progress) {}

  /// Goes through a layer from its outputs to its inputs.
  void pass(const LayerInspection& layer, Flow& flow) {
    const AttentionDescription& attention = layer.attention->description();
    if (traitsOf(attention.mechanism).overChannels) {
      ++result.passed;
      return;
    }
    try {
      if (attention.queryGrid) {
        passPatches(*layer.attention, flow);
      } else {
        passClassToken(*layer.attention, flow);
      }
    } catch (const InspectionError& error) {
      throw InspectionError(layer.name + ": " + error.what());
    }
    ++result.layers;
  }

  Rollout result;

 private:
  Eigen::VectorXd seenThrough(const AttentionMap& map, const Eigen::VectorXd& weights) {
    if (heads_ == RolloutHeads::Largest) {
      result.divided = true;
      return largestTransposedTimes(map, weights, progress_);
    }
    return meanTransposedTimes(map, weights, progress_, result.divided);
  }

  void passPatches(const AttentionMap& map, Flow& flow) {
    const AttentionDescription& attention = map.description();
    if (!attention.keyGrid) {
      throw InspectionError("its keys are no patches, so that nothing goes back to the picture");
    }
    flow = carried(flow, *attention.queryGrid);
    const auto prefix = static_cast<Eigen::Index>(queryPrefix(attention));
    // Tokens that this layer does not have pass it by.
    Flow inside = flow;
    inside.prefix = flow.prefix.head(std::min(prefix, flow.prefix.size()));
    inside.prefix.conservativeResizeLike(Eigen::VectorXd::Zero(prefix));
    const Flow keys =
        split(seenThrough(map, joined(inside)), keyPrefix(attention), *attention.keyGrid);
    const Flow seen = carried(keys, flow.grid);
    flow.patches = (flow.patches + seen.patches) / 2;
    const Eigen::Index shared = std::min({prefix, flow.prefix.size(), seen.prefix.size()});
    flow.prefix.head(shared) = (flow.prefix.head(shared) + seen.prefix.head(shared)) / 2;
  }

  /// Only the class token asks; patches stay as they are.
  void passClassToken(const AttentionMap& map, Flow& flow) {
    const AttentionDescription& attention = map.description();
    if (!attention.keyGrid || attention.queries != 1 || flow.prefix.size() == 0) {
      throw InspectionError("its queries are no patches, so that no token goes through it");
    }
    const double held = flow.prefix[0];
    const Flow keys = split(seenThrough(map, Eigen::VectorXd::Constant(1, held)),
                            keyPrefix(attention), *attention.keyGrid);
    flow.prefix[0] = (held + (keys.prefix.size() > 0 ? keys.prefix[0] : 0)) / 2;
    flow.patches += carried(keys, flow.grid).patches / 2;
  }

  RolloutHeads heads_;
  const Progress& progress_;
};

Flow flowOfToken(const AttentionDescription& attention, int token) {
  const std::optional<TokenGrid> grid =
      attention.queryGrid ? attention.queryGrid : attention.keyGrid;
  if (!grid) {
    throw InspectionError(
        "neither queries nor keys of this layer are patches, so that no token starts from it; "
        "choose another layer");
  }
  const int prefix = attention.queryGrid ? queryPrefix(attention) : 1;
  Flow flow{Eigen::VectorXd::Zero(prefix), Eigen::VectorXd::Zero(grid->count()), *grid};
  (token < prefix ? flow.prefix[token] : flow.patches[token - prefix]) = 1;
  return flow;
}

/// As much of every patch.
Flow flowOfPatches(const AttentionDescription& attention) {
  if (!attention.queryGrid) {
    throw InspectionError("the queries of this layer are no patches, so that they have no mean");
  }
  const int patches = attention.queryGrid->count();
  return {Eigen::VectorXd::Zero(queryPrefix(attention)),
          Eigen::VectorXd::Constant(patches, 1.0 / patches), *attention.queryGrid};
}

Rollout rollOutFlow(const AnalysedLayer& of, Flow flow, RolloutHeads heads,
                    const Progress& progress) {
  RolloutWalk walk(heads, progress);
  for (std::size_t i = of.index + 1; i > 0; --i) {
    const LayerInspection& layer = of.inspection->layers[i - 1];
    progress.report(1 - static_cast<double>(i) / static_cast<double>(of.index + 1), layer.name);
    walk.pass(layer, flow);
  }
  walk.result.grid = flow.grid;
  walk.result.patches = flow.patches.cast<float>();
  walk.result.prefix = flow.prefix.cast<float>();
  return walk.result;
}

}  // namespace

Rollout rollOut(const AnalysedLayer& of, int token, RolloutHeads heads, const Progress& progress) {
  return rollOutFlow(of, flowOfToken(of.attention(), token), heads, progress);
}

Rollout rollOutPatches(const AnalysedLayer& of, RolloutHeads heads, const Progress& progress) {
  return rollOutFlow(of, flowOfPatches(of.attention()), heads, progress);
}

std::vector<LayerRollout> computeRollouts(const std::vector<AnalysedLayer>& layers,
                                          const RolloutSettings& settings, const Picture* picture,
                                          const std::vector<PictureQuery>& queries,
                                          const Progress& progress) {
  std::vector<LayerRollout> rollouts;
  for (const AnalysedLayer& of : layers) {
    for (const PictureQuery& query : queries) {
      LayerRollout rollout{.of = of, .query = query};
      try {
        rollout.token = queryToken(of.attention(), extentOf(picture, of.region), query);
        rollout.rollout = rollOut(of, rollout.token, settings.heads, progress);
      } catch (const InspectionError& error) {
        rollout.obstacle = error.what();
      }
      rollouts.push_back(std::move(rollout));
    }
  }
  return rollouts;
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
    if (rollout.prefix.size() == 0) continue;
    arrays.emplace_back(
        name + "_prefix",
        FloatArray{{rollout.prefix.size()}, {rollout.prefix.begin(), rollout.prefix.end()}});
  }
  return arrays;
}

}  // namespace softscope
