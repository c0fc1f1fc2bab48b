#include "core/analysis/rollout/Rollout.h"

#include "core/Error.h"
#include "core/analysis/TokenFlow.h"
#include "core/analysis/rollout/ScannedRows.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/BlockMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/Mechanism.h"
#include "core/text/Words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace softscope {

namespace {

bool isSoftmax(const std::string& mechanism) {
  return mechanism == "softmax" || traitsOf(mechanism).variantOf == "softmax";
}

/// True if every row of the map sums to one by construction. A recording may call any matrix a
/// softmax.
bool isComputedSoftmax(const AttentionMap& map) {
  const auto* kernel = dynamic_cast<const KernelMap*>(&map);
  return kernel != nullptr && kernel->kernel() == KernelMap::Kernel::Softmax;
}

/// True if some of the weights lie on padding, so that rows do not sum to one over the keys.
bool leavesPaddingOut(const AttentionMap& map) {
  const auto* blocks = dynamic_cast<const BlockMap*>(&map);
  return blocks != nullptr && blocks->isPadded();
}

/// Formats a number with two digits and a decimal point in every locale: `0.00018`, `31`.
std::string twoDigits(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                          std::chars_format::general, 2);
  return error == std::errc() ? std::string(digits.data(), end) : std::string();
}

/// Formats a range, `0.0071 to 0.065`, or a single number if both ends are the same.
std::string rangeText(double least, double most) {
  const std::string first = twoDigits(least);
  const std::string last = twoDigits(most);
  return first == last ? first : first + " to " + last;
}

/// A flow after a layer's attention, and the attention's weight.
struct Attended {
  Eigen::VectorXd keys;
  Eigen::VectorXd kept;
  double weight = 0.5;
};

class RolloutWalk {
 public:
  RolloutWalk(const AnalysedLayer& of, const RolloutSettings& settings, const SharesOf& shares,
              const Progress& progress)
      : of_(of), settings_(settings), sharesOf_(shares), progress_(progress) {}

  /// Goes through a layer from its outputs to its inputs.
  void pass(const LayerInspection& layer, TokenFlow& flow) {
    const AttentionDescription& attention = layer.attention->description();
    if (traitsOf(attention.mechanism).overChannels) {
      ++result.passed;
      return;
    }
    if (attention.queryGrid) requireKeyGrid(layer.name, attention);
    try {
      if (attention.queryGrid) {
        passPatches(layer, flow);
      } else {
        passClassToken(layer, flow);
      }
    } catch (const MemoryError&) {
      throw;
    } catch (const InspectionError& error) {
      throw InspectionError(layer.name + ": " + error.what());
    }
  }

  Rollout result;

 private:
  Attended seenThrough(const LayerInspection& layer, const Eigen::VectorXd& weights) {
    RolloutLayer made{.name = layer.name};
    const bool isPublished = isSoftmax(layer.attention->description().mechanism) &&
                             settings_.heads == RolloutHeads::Mean &&
                             isComputedSoftmax(*layer.attention);
    Attended attended = isPublished ? throughSoftmax(layer, weights, made)
                                    : throughMagnitudes(layer, weights, made);
    attended.weight = made.attentionWeight;
    result.layers.insert(result.layers.begin(), std::move(made));
    return attended;
  }

  Attended throughSoftmax(const LayerInspection& layer, const Eigen::VectorXd& weights,
                          RolloutLayer& made) {
    const AttentionMap& map = *layer.attention;
    const int heads = map.description().heads;
    const bool byNorms = settings_.residual == ResidualWeight::Norms;
    const Eigen::VectorXd headWeights =
        byNorms ? weighedByNorms(layer, heads, made) : Eigen::VectorXd::Ones(heads).eval();
    Eigen::VectorXd seen = Eigen::VectorXd::Zero(map.description().keys);
    for (int head = 0; head < heads; ++head) {
      seen += headWeights[head] *
              mapProduct(map, head, ScannedRows::heldBytes, progress_)->transposedTimes(weights);
    }
    if (!byNorms) seen /= heads;
    return {std::move(seen), Eigen::VectorXd::Zero(weights.size())};
  }

  Attended throughMagnitudes(const LayerInspection& layer, const Eigen::VectorXd& weights,
                             RolloutLayer& made) {
    const std::string& mechanism = layer.attention->description().mechanism;
    const ScannedRows rows(*layer.attention, weights, settings_.heads, progress_);
    const bool areShares =
        rows.areSharesOfOne() || (isSoftmax(mechanism) && leavesPaddingOut(*layer.attention));
    made.negativeShare = rows.negativeShare();
    made.leastSum = rows.leastSum();
    // The largest of several heads is not a share, even if each head is.
    made.divided = !areShares || settings_.heads == RolloutHeads::Largest ||
                   (leavesPaddingOut(*layer.attention) && !rows.areSharesOfOne());
    if (made.isSigned() && settings_.signedMaps == SignedMaps::Refuse) {
      throw InspectionError(twoDigits(100 * made.negativeShare) +
                            " % of its weights are negative, and rollout is of shares of a whole; "
                            "roll out magnitudes instead (--signed absolute)");
    }
    const bool byNorms = settings_.residual == ResidualWeight::Norms ||
                         (settings_.residual == ResidualWeight::Automatic && !areShares);
    const Eigen::VectorXd partWeights =
        byNorms ? weighedByNorms(layer, rows.parts(), made) : evenWeights(rows.parts());
    return {rows.seen(partWeights), rows.kept(partWeights)};
  }

  static Eigen::VectorXd evenWeights(int heads) {
    return Eigen::VectorXd::Constant(heads, 1.0 / heads);
  }

  /// Returns the weight of each head among the heads, and sets the weight of attention beside the
  /// residual stream.
  Eigen::VectorXd weighedByNorms(const LayerInspection& layer, int parts, RolloutLayer& made) {
    const LayerShare& share = shareOf(layer);
    const double attention = share.whole.projectedNorm;
    const double both = attention + share.residualNorm;
    if (!std::isfinite(both)) {
      throw InspectionError("the norms of attention and residual stream are not finite");
    }
    made.byNorms = true;
    made.attentionWeight = both > 0 ? attention / both : 0;
    Eigen::VectorXd weights = evenWeights(parts);
    if (parts != static_cast<int>(share.heads.size())) return weights;
    for (int head = 0; head < parts; ++head) {
      weights[head] = share.heads[static_cast<std::size_t>(head)].projectedNorm;
    }
    return weights.sum() > 0 ? (weights / weights.sum()).eval() : evenWeights(parts);
  }

  const LayerShare& shareOf(const LayerInspection& layer) {
    if (!shares_ && sharesOf_) shares_ = sharesOf_(of_);
    if (shares_) {
      for (const LayerShare& share : shares_->layers) {
        if (share.layer == layer.name) return share;
      }
    }
    throw InspectionError(
        "attention and residual stream cannot be weighed by norms, since what is added to what is "
        "not known (a recording holds no weights); count half for each (--residual half)");
  }

  void passPatches(const LayerInspection& layer, TokenFlow& flow) {
    const AttentionDescription& attention = layer.attention->description();
    flow = carriedFlow(flow, *attention.queryGrid);
    const auto prefix = static_cast<Eigen::Index>(singleTokens(attention, Direction::Rows));
    const int suffix = attention.suffixTokens;
    const Attended attended = seenThrough(layer, enteringTokens(flow, prefix, suffix));
    const double w = attended.weight;
    const TokenFlow keys =
        splitTokens(attended.keys, keyPrefix(attention), *attention.keyGrid, suffix);
    const TokenFlow seen = carriedFlow(keys, flow.grid);
    const TokenFlow kept =
        splitTokens(attended.kept, queryPrefix(attention), *attention.queryGrid, suffix);
    flow.patches = (1 - w) * flow.patches + w * (seen.patches + kept.patches);
    growPrefix(flow, std::max(prefix, seen.prefix.size()));
    flow.prefix.head(prefix) = (1 - w) * flow.prefix.head(prefix) + w * kept.prefix;
    flow.prefix.head(seen.prefix.size()) += w * seen.prefix;
  }

  /// Only the class token is a query; patches stay as they are.
  void passClassToken(const LayerInspection& layer, TokenFlow& flow) {
    const AttentionDescription& attention = layer.attention->description();
    if (!attention.keyGrid || attention.queries != 1 || flow.prefix.size() == 0) {
      throw InspectionError("its queries are no patches, so that no token goes through it");
    }
    const double held = flow.prefix[0];
    const Attended attended = seenThrough(layer, Eigen::VectorXd::Constant(1, held));
    const double w = attended.weight;
    const TokenFlow keys = splitTokens(attended.keys, keyPrefix(attention), *attention.keyGrid,
                                       attention.suffixTokens);
    if (attention.mechanism == "softmax_pool") {
      // A learned query is no token of the layers before: it has no residual stream.
      result.layers.front().attentionWeight = 1;
      flow.prefix = keys.prefix;
      flow.patches += carriedFlow(keys, flow.grid).patches;
      return;
    }
    growPrefix(flow, keys.prefix.size());
    flow.prefix[0] = (1 - w) * held + w * attended.kept[0];
    flow.prefix.head(keys.prefix.size()) += w * keys.prefix;
    flow.patches += w * carriedFlow(keys, flow.grid).patches;
  }

  const AnalysedLayer& of_;
  RolloutSettings settings_;
  const SharesOf& sharesOf_;
  const Progress& progress_;
  std::shared_ptr<const ModelShare> shares_;
};

/// Returns a flow with the same amount on every patch.
TokenFlow flowOfPatches(const AttentionDescription& attention) {
  if (!attention.queryGrid) {
    throw InspectionError("the queries of this layer are no patches, so that they have no mean");
  }
  const int patches = attention.queryGrid->count();
  return {Eigen::VectorXd::Zero(singleTokens(attention, Direction::Rows)),
          Eigen::VectorXd::Constant(patches, 1.0 / patches), *attention.queryGrid};
}

Rollout rollOutFlow(const AnalysedLayer& of, TokenFlow flow, const RolloutSettings& settings,
                    const SharesOf& shares, const Progress& progress) {
  RolloutWalk walk(of, settings, shares, progress);
  for (std::size_t i = of.index + 1; i > 0; --i) {
    const LayerInspection& layer = of.inspection->layers[i - 1];
    progress.report(1 - static_cast<double>(i) / static_cast<double>(of.index + 1),
                    shortLayerName(layer.name));
    walk.pass(layer, flow);
  }
  walk.result.grid = flow.grid;
  walk.result.patches = flow.patches.cast<float>();
  walk.result.prefix = flow.prefix.cast<float>();
  return walk.result;
}

/// The least and the largest number over the layers that count.
struct LayerRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  bool isEmpty() const { return least > most; }
};

}  // namespace

TokenFlow flowOfToken(const AttentionDescription& attention, int token) {
  const std::optional<TokenGrid> grid =
      attention.queryGrid ? attention.queryGrid : attention.keyGrid;
  if (!grid) {
    throw InspectionError(
        "neither queries nor keys of this layer are patches, so that no token starts from it; "
        "choose another layer");
  }
  const int prefix = attention.queryGrid ? queryPrefix(attention) : 1;
  const int suffix = attention.queryGrid ? attention.suffixTokens : 0;
  const int tokens = prefix + grid->count() + suffix;
  return splitTokens(Eigen::VectorXd::Unit(tokens, token), prefix, *grid, suffix);
}

bool RolloutLayer::isSigned() const {
  return negativeShare > ScannedRows::negativeTolerance;
}

bool mayNeedShares(const AnalysedLayer& of, const RolloutSettings& settings) {
  if (settings.residual == ResidualWeight::Half) return false;
  if (settings.residual == ResidualWeight::Norms) return true;
  const auto& layers = of.inspection->layers;
  return std::any_of(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(of.index) + 1,
                     [](const LayerInspection& layer) {
                       return !isSoftmax(layer.attention->description().mechanism);
                     });
}

Rollout rollOut(const AnalysedLayer& of, int token, const RolloutSettings& settings,
                const SharesOf& shares, const Progress& progress) {
  return rollOutFlow(of, flowOfToken(of.attention(), token), settings, shares, progress);
}

Rollout rollOutPatches(const AnalysedLayer& of, const RolloutSettings& settings,
                       const SharesOf& shares, const Progress& progress) {
  return rollOutFlow(of, flowOfPatches(of.attention()), settings, shares, progress);
}

std::string rolloutDeviation(const Rollout& rollout) {
  LayerRange negative;
  LayerRange sums;
  LayerRange weights;
  bool isDivided = false;
  for (const RolloutLayer& layer : rollout.layers) {
    isDivided = isDivided || layer.divided;
    if (layer.isSigned()) {
      negative.add(100 * layer.negativeShare);
      sums.add(layer.leastSum);
    }
    if (layer.byNorms) weights.add(layer.attentionWeight);
  }
  std::vector<std::string> parts;
  if (!negative.isEmpty()) {
    parts.push_back("magnitudes in place of signed weights, of which " +
                    rangeText(negative.least, negative.most) +
                    " % are negative, in rows divided by their l1 norms, of which their sums are " +
                    twoDigits(sums.least) + " or more");
  } else if (isDivided) {
    parts.emplace_back("rows divided by their sums");
  }
  if (!weights.isEmpty()) {
    parts.push_back("attention counts for " + rangeText(weights.least, weights.most) +
                    " beside the residual stream, by norms, instead of 1/2");
  }
  return listText(parts);
}

}  // namespace softscope
