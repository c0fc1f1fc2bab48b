#include "core/analysis/tokens/TokenMap.h"
#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

/// Returns the share of a layer's patches whose token norm exceeds twice the median.
std::optional<double> outlierShare(const LayerPass& layer) {
  const auto tokens = layer.model.tokensOf(layer.layer.name);
  if (!tokens) return std::nullopt;
  const TokenMap norms = normMap(*tokens, TokenSettings().outlierRatio);
  if (norms.values.size() == 0 || !norms.values.allFinite()) return std::nullopt;
  return static_cast<double>(norms.outliers.size()) / static_cast<double>(norms.values.size());
}

/// Returns the largest norm of a layer's patch tokens over the median one.
std::optional<double> largestNormRatio(const LayerPass& layer) {
  const auto tokens = layer.model.tokensOf(layer.layer.name);
  if (!tokens) return std::nullopt;
  const TokenMap norms = normMap(*tokens, TokenSettings().outlierRatio);
  if (norms.values.size() == 0 || !(norms.median > 0)) return std::nullopt;
  return static_cast<double>(norms.values.maxCoeff()) / norms.median;
}

}  // namespace

std::vector<Measure> tokenMeasures() {
  return {{.name = "token_outliers",
           .title = "Token norm outliers",
           .unit = "share of the patches",
           .source = "Vision Transformers Need Registers, 2023",
           .value = outlierShare,
           .ofTokens = true},
          {.name = "token_norm_ratio",
           .title = "Largest token norm over the median",
           .unit = "norm over norm",
           .source = "Massive Activations in Large Language Models, 2024",
           .value = largestNormRatio,
           .ofTokens = true}};
}

}  // namespace softscope
