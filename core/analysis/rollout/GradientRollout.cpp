#include "core/Error.h"
#include "core/analysis/TokenFlow.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/GradientProductMap.h"
#include "core/attention/Mechanism.h"
#include "core/inspect/LayerMap.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cstddef>

namespace softscope {

namespace {

/// Returns r E for weights r on the map's queries: the mean over heads of the positive entries.
Eigen::VectorXd positiveEntries(const AttentionMap& map, const Eigen::VectorXd& weights,
                                const Progress& progress) {
  constexpr int strip = 64;
  const AttentionDescription& attention = map.description();
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(attention.keys);
  for (int first = 0; first < attention.queries; first += strip) {
    const int rows = std::min(strip, attention.queries - first);
    const Eigen::VectorXd of = weights.segment(first, rows);
    if ((of.array() == 0).all()) continue;
    for (int head = 0; head < attention.heads; ++head) {
      progress.throwIfCancelled();
      const Matrix block = map.block(head, first, 0, rows, attention.keys).cwiseMax(0.0f);
      sum += block.cast<double>().transpose() * of;
    }
  }
  return sum / attention.heads;
}

}  // namespace

Rollout rollOutGradients(const AnalysedLayer& of, int token, const Progress& progress) {
  Rollout rollout;
  GradientFlow flow(flowOfToken(of.attention(), token));
  for (std::size_t i = of.index + 1; i > 0; --i) {
    const LayerInspection& layer = of.inspection->layers[i - 1];
    progress.report(1 - static_cast<double>(i) / static_cast<double>(of.index + 1),
                    shortLayerName(layer.name));
    if (traitsOf(layer.attention->description().mechanism).overChannels) {
      ++rollout.passed;
      continue;
    }
    if (!layer.gradientProduct) {
      throw InspectionError(layer.name + ": " + withoutMap(layer, ShownMap::GradientProduct));
    }
    rollout.speaksFor = layer.gradientProduct->logit().name;
    const AttentionDescription& attention = layer.attention->description();
    flow.pass(layer.name, attention, attention.queries, [&](const Eigen::VectorXd& weights) {
      return positiveEntries(*layer.gradientProduct, weights, progress);
    });
  }
  const TokenFlow gained = flow.gained();
  rollout.grid = gained.grid;
  rollout.patches = gained.patches.cast<float>();
  rollout.prefix = gained.prefix.cast<float>();
  return rollout;
}

}  // namespace softscope
