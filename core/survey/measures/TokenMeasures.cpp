#include "core/analysis/tokens/TokenMap.h"
#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

/// Returns the share of a layer's patches whose token norm exceeds twice the median.
std::optional<double> outlierShare(const LayerPass& layer) {
  const auto tokens = layer.model.tokensOf(layer.layer.name);
  if (!tokens) return std::nullopt;
  const TokenMap norms = normMap(*tokens, TokenSettings().outlierRatio);
  if (norms.values.size() == 0) return std::nullopt;
  return static_cast<double>(norms.outliers.size()) / static_cast<double>(norms.values.size());
}

}  // namespace

std::vector<Measure> tokenMeasures() {
  return {{.name = "token_outliers",
           .title = "Token norm outliers",
           .unit = "share of the patches",
           .source = "Vision Transformers Need Registers, 2023",
           .value = outlierShare,
           .ofTokens = true}};
}

}  // namespace softscope
