#pragma once

#include "core/analysis/GridShare.h"
#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

#include <algorithm>

namespace softscope {

/// Weights on a layer's tokens, on the way from the network's answer down to its first layer.
struct TokenFlow {
  Eigen::VectorXd prefix;   ///< on the tokens before the patches, and then on those behind them
  Eigen::VectorXd patches;  ///< on the patches of `grid`
  TokenGrid grid;
};

/// Returns the weights on all tokens in a layer's order, with `suffix` tokens behind the patches.
inline Eigen::VectorXd joinedTokens(const TokenFlow& flow, int suffix = 0) {
  Eigen::VectorXd all(flow.prefix.size() + flow.patches.size());
  all << flow.prefix.head(flow.prefix.size() - suffix), flow.patches, flow.prefix.tail(suffix);
  return all;
}

/// Splits weights on all tokens of a layer into those of `prefix` tokens before the patches and
/// `suffix` tokens behind them, and of patches on `grid`.
inline TokenFlow splitTokens(const Eigen::VectorXd& all, int prefix, const TokenGrid& grid,
                             int suffix = 0) {
  Eigen::VectorXd single(prefix + suffix);
  single << all.head(prefix), all.tail(suffix);
  return {single, all.segment(prefix, all.size() - prefix - suffix), grid};
}

/// Gives a flow at least `single` tokens beside its patches: zeros on those that it lacks.
inline void growPrefix(TokenFlow& flow, Eigen::Index single) {
  if (flow.prefix.size() >= single) return;
  flow.prefix.conservativeResizeLike(Eigen::VectorXd::Zero(single));
}

/// Returns the weights on all tokens of a layer that has `single` tokens beside its patches, of
/// which `suffix` stand behind them. Weights on tokens that the layer does not have are left out:
/// they bypass it.
inline Eigen::VectorXd enteringTokens(const TokenFlow& flow, Eigen::Index single, int suffix) {
  TokenFlow inside = flow;
  inside.prefix = flow.prefix.head(std::min(single, flow.prefix.size()));
  growPrefix(inside, single);
  return joinedTokens(inside, suffix);
}

/// Carries a flow to the tokens of an earlier layer. Tokens before the patches that the earlier
/// layer does not have yet keep their values: nothing of the picture has reached them there.
inline TokenFlow carriedFlow(const TokenFlow& flow, const TokenGrid& grid) {
  return {flow.prefix, sharedByArea(flow.patches, flow.grid, grid), grid};
}

}  // namespace softscope
