#include "core/analysis/TokenFlow.h"

#include "core/Error.h"

#include <utility>

namespace softscope {

void requireKeyGrid(const std::string& layer, const AttentionDescription& attention) {
  if (attention.keyGrid) return;
  throw InspectionError(layer +
                        ": its keys are no patches, so that nothing goes back to the picture");
}

GradientFlow::GradientFlow(TokenFlow start)
    : started_(std::move(start)),
      gained_{Eigen::VectorXd::Zero(started_.prefix.size()),
              Eigen::VectorXd::Zero(started_.patches.size()), started_.grid} {}

void GradientFlow::pass(const std::string& layer, const AttentionDescription& attention,
                        int queries,
                        const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& entries) {
  requireKeyGrid(layer, attention);
  const Eigen::VectorXd seen = entries(enter(attention, queries));
  const int suffix = attention.suffixTokens;
  const int prefix = static_cast<int>(seen.size()) - attention.keyGrid->count() - suffix;
  const TokenFlow keys = splitTokens(seen, prefix, *attention.keyGrid, suffix);
  if (attention.mechanism == "softmax_pool") {
    // A learned query is no token of the layers before; the single tokens that it sees are.
    started_.prefix.resize(0);
    gained_.prefix.resize(0);
  }
  add(keys);
}

/// Carries both parts of r to a layer, and returns what lies on the tokens that ask there.
Eigen::VectorXd GradientFlow::enter(const AttentionDescription& attention, int queries) {
  if (!attention.queryGrid) {
    return enteringTokens({started_.prefix, {}, started_.grid}, queries, 0) +
           enteringTokens({gained_.prefix, {}, gained_.grid}, queries, 0);
  }
  started_ = carriedFlow(started_, *attention.queryGrid);
  gained_ = carriedFlow(gained_, *attention.queryGrid);
  const int single = queries - attention.queryGrid->count();
  return enteringTokens(started_, single, attention.suffixTokens) +
         enteringTokens(gained_, single, attention.suffixTokens);
}

void GradientFlow::add(const TokenFlow& keys) {
  gained_.patches += carriedFlow(keys, gained_.grid).patches;
  growPrefix(gained_, keys.prefix.size());
  gained_.prefix.head(keys.prefix.size()) += keys.prefix;
}

}  // namespace softscope
