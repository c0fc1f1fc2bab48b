#pragma once

#include "core/analysis/GridSampling.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

#include <algorithm>
#include <functional>
#include <string>

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

/// Throws InspectionError if a layer's keys are no patches.
void requireKeyGrid(const std::string& layer, const AttentionDescription& attention);

/// A row r of the rollout of attention times gradient on its way from the last layer to the first,
/// r <- r + r E with E = mean over heads of (A ∘ ∂y/∂A)+ ("Generic Attention-model Explainability
/// for Interpreting Bi-Modal and Encoder-Decoder Transformers", 2021, arXiv 2103.15679, Eqs. 5, 6).
class GradientFlow {
 public:
  /// `start` are the weights on the tokens that ask, in the order of TokenFlow.
  explicit GradientFlow(TokenFlow start);

  /// Goes through a layer of so many queries from its outputs to its inputs, where `entries`
  /// returns r E [keys] for r [queries]. Tokens that the layer does not have bypass it. Between
  /// different grids, the patches' values are shared out by area. Throws InspectionError if its
  /// keys are no patches.
  void pass(const std::string& layer, const AttentionDescription& attention, int queries,
            const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& entries);

  /// Returns r without what it started with, on the grid of the last layer that it went through.
  const TokenFlow& gained() const { return gained_; }

 private:
  Eigen::VectorXd enter(const AttentionDescription& attention, int queries);
  void add(const TokenFlow& keys);

  /// r = started_ + gained_, kept apart: what r gained may be a millionth of what it started with,
  /// and one sum would lose it to rounding.
  TokenFlow started_;
  TokenFlow gained_;
};

}  // namespace softscope
