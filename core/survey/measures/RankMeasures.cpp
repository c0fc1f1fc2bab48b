#include "core/analysis/spectrum/Spectrum.h"
#include "core/survey/measures/MeasureGroups.h"

#include <cmath>
#include <numeric>

namespace softscope {

namespace {

/// Returns exp(-sum_i p_i ln p_i), p_i = s_i / sum s.
std::optional<double> effectiveRank(const HeadPass& head) {
  if (!head.spectrum()) return std::nullopt;
  const std::vector<double>& values = head.spectrum()->values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (!(sum > 0)) return std::nullopt;
  double entropy = 0;
  for (const double value : values) {
    const double share = value / sum;
    if (share > 0) entropy -= share * std::log(share);
  }
  return std::exp(entropy);
}

double spectralNormOf(const HeadPass& head) {
  if (!head.spectrum()) return largestSingularValue(head.map(), head.head, head.progress());
  return head.spectrum()->values.empty() ? 0 : head.spectrum()->values.front();
}

/// Returns |S|_F^2 / |S|_2^2.
std::optional<double> stableRank(const HeadPass& head) {
  const double norm = spectralNormOf(head);
  if (!(norm > 0)) return std::nullopt;
  if (!head.spectrum()) {
    return squaredFrobeniusNorm(head.map(), head.head, head.progress()) / (norm * norm);
  }
  double squares = 0;
  for (const double value : head.spectrum()->values) squares += (value / norm) * (value / norm);
  return squares;
}

}  // namespace

std::vector<Measure> rankMeasures() {
  return {
      {.name = "effective_rank",
       .title = "Effective rank",
       .unit = "singular values",
       .source = "The Effective Rank: A Measure of Effective Dimensionality, 2007",
       .value = effectiveRank},
      {.name = "stable_rank",
       .title = "Stable rank",
       .unit = "singular values",
       .source = "Sampling from Large Matrices: An Approach through Geometric Functional Analysis, "
                 "2007",
       .value = stableRank},
      {.name = "spectral_norm",
       .title = "Spectral norm, as released",
       .unit = "",
       .source = "Softmax-free Linear Transformers, 2024",
       .value = [](const HeadPass& head) { return std::optional(spectralNormOf(head)); }},
  };
}

}  // namespace softscope
