#pragma once

#include "core/analysis/TokenFlow.h"
#include "core/attention/AttentionMap.h"

#include <Eigen/Core>

#include <functional>
#include <string>

namespace softscope {

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

  /// The two parts of r. The second may be millionths of the first, whose rounding it would not
  /// survive in one sum.
  TokenFlow started_;
  TokenFlow gained_;
};

}  // namespace softscope
