#include "core/analysis/Share.h"

#include "core/inspect/Inspection.h"

#include <cmath>

namespace softscope {

namespace {

/// Returns part / whole: empty if both are 0, infinite if only `whole` is 0.
std::optional<double> ratio(double part, double whole) {
  if (part == 0 && whole == 0) return std::nullopt;
  return part / whole;
}

double norm(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

}  // namespace

std::optional<double> HeadShare::besideShare() const {
  return besideNorm ? ratio(attentionNorm, *besideNorm) : std::nullopt;
}

std::optional<double> LayerShare::residualShare(const HeadShare& head) const {
  return ratio(head.projectedNorm, residualNorm);
}

std::optional<int> ModelShare::predictedClass() const {
  return softscope::predictedClass(logits);
}

Knockout compareLogits(const std::vector<float>& logits, const std::vector<float>& changed) {
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double change = static_cast<double>(changed[i]) - logits[i];
    sum += change * change;
  }
  const double change = std::sqrt(sum);
  return {change, change == 0 ? 0 : change / norm(logits), predictedClass(changed)};
}

std::size_t bytesOf(const std::shared_ptr<const ModelShare>& share) {
  if (!share) return 0;
  std::size_t bytes = sizeof *share + share->logits.size() * sizeof(float);
  for (const LayerShare& layer : share->layers) {
    bytes += sizeof layer + layer.heads.size() * sizeof(HeadShare);
  }
  return bytes;
}

}  // namespace softscope
