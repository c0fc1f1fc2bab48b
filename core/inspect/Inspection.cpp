#include "core/inspect/Inspection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace softscope {

std::string linkedLayer(const std::vector<std::string>& layers, const std::string& name,
                        const std::vector<std::string>& otherLayers) {
  if (std::find(otherLayers.begin(), otherLayers.end(), name) != otherLayers.end()) return name;
  if (layers.empty()) return otherLayers.front();
  const auto found = std::find(layers.begin(), layers.end(), name);
  const auto index =
      found == layers.end() ? layers.size() - 1 : std::size_t(found - layers.begin());
  // The other layer's share of the depth contains the middle of this layer's share.
  const std::size_t other = (2 * index + 1) * otherLayers.size() / (2 * layers.size());
  return otherLayers[std::min(other, otherLayers.size() - 1)];
}

const LayerInspection* Inspection::find(const std::string& name) const {
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const LayerInspection& layer) { return layer.name == name; });
  return found == layers.end() ? nullptr : &*found;
}

PictureRegion Inspection::covered() const {
  return seen.value_or(PictureRegion{0, 0, double(inputWidth), double(inputHeight)});
}

std::optional<int> predictedClass(const std::vector<float>& logits) {
  const bool isUndefined =
      std::ranges::any_of(logits, [](float logit) { return std::isnan(logit); });
  if (logits.empty() || isUndefined) return std::nullopt;
  return static_cast<int>(std::ranges::max_element(logits) - logits.begin());
}

std::vector<Prediction> topPredictions(const std::vector<float>& logits, int count) {
  const std::optional<int> predicted = predictedClass(logits);
  if (!predicted || count <= 0) return {};
  const double largest = logits[static_cast<std::size_t>(*predicted)];
  if (!std::isfinite(largest)) return {};
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto kept = std::min<std::size_t>(order.size(), static_cast<std::size_t>(count));
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](int a, int b) {
                      return logits[static_cast<std::size_t>(a)] >
                             logits[static_cast<std::size_t>(b)];
                    });
  order.resize(kept);

  double sum = 0;
  for (float logit : logits) sum += std::exp(logit - largest);
  std::vector<Prediction> predictions;
  for (int index : order) {
    const float logit = logits[static_cast<std::size_t>(index)];
    Prediction prediction{.classIndex = index, .logit = logit, .probability = {}};
    if (logits.size() > 1) {
      prediction.probability = static_cast<float>(std::exp(logit - largest) / sum);
    }
    predictions.push_back(prediction);
  }
  return predictions;
}

}  // namespace softscope
