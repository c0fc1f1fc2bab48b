#include "core/analysis/GradientFlow.h"

#include "core/Error.h"

#include <algorithm>
#include <utility>

namespace softscope {

void requireKeyGrid(const std::string& layer, const AttentionDescription& attention) {
  if (attention.keyGrid) return;
  throw InspectionError(layer +
                        ": its keys are no patches, so that nothing goes back to the picture");
}

GradientFlow::GradientFlow(TokenFlow start) : flow_(std::move(start)), started_(flow_) {}

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
    flow_.prefix = Eigen::VectorXd::Zero(keys.prefix.size());
    started_.prefix.resize(0);
  }
  add(keys);
}

TokenFlow GradientFlow::gained() const {
  TokenFlow gained = flow_;
  gained.patches -= carriedFlow(started_, flow_.grid).patches;
  const Eigen::Index shared = std::min(started_.prefix.size(), flow_.prefix.size());
  gained.prefix.head(shared) -= started_.prefix.head(shared);
  return gained;
}

/// Carries the flow to a layer, and returns what lies on the tokens that ask there.
Eigen::VectorXd GradientFlow::enter(const AttentionDescription& attention, int queries) {
  if (!attention.queryGrid) {
    const TokenFlow single{flow_.prefix, {}, flow_.grid};
    return enteringTokens(single, queries, 0);
  }
  flow_ = carriedFlow(flow_, *attention.queryGrid);
  return enteringTokens(flow_, queries - attention.queryGrid->count(), attention.suffixTokens);
}

void GradientFlow::add(const TokenFlow& keys) {
  flow_.patches += carriedFlow(keys, flow_.grid).patches;
  const Eigen::Index shared = std::min(keys.prefix.size(), flow_.prefix.size());
  flow_.prefix.head(shared) += keys.prefix.head(shared);
}

}  // namespace softscope
