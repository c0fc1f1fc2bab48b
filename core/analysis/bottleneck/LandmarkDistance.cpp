#include "core/analysis/bottleneck/LandmarkDistance.h"

#include "core/Median.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/Mechanism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace softscope {

namespace {

bool hasGaussianLandmarks(const AttentionDescription& attention) {
  const auto& bottleneck = traitsOf(attention.mechanism).bottleneck;
  return bottleneck && bottleneck->kernel == Mechanism::Bottleneck::Kernel::Gaussian;
}

/// False for a recording that calls its own factors by SOFT's name.
bool isGaussianKernel(const MatrixStack::View& kernel) {
  constexpr float rounding = 1e-4F;
  return kernel.size() > 0 && kernel.minCoeff() >= 0 && kernel.maxCoeff() <= 1 + rounding;
}

double medianRowSum(const FactoredMap& map, int head) {
  Eigen::VectorXd sums = map.right()[head].cast<double>().colwise().sum();
  if (!map.middle().empty()) sums = map.middle()[head].cast<double>() * sums;
  const Eigen::VectorXd rows = map.left()[head].cast<double>() * sums;
  return medianOf<double>({rows.begin(), rows.end()});
}

}  // namespace

std::optional<LandmarkDistance> landmarkDistance(const LayerInspection& layer, int head) {
  const auto* map = dynamic_cast<const FactoredMap*>(layer.attention.get());
  if (map == nullptr || !hasGaussianLandmarks(map->description())) return std::nullopt;
  map->checkHead(head);
  const MatrixStack::View kernel = map->left()[head];
  if (!isGaussianKernel(kernel)) return std::nullopt;
  std::vector<double> distances(static_cast<std::size_t>(kernel.size()));
  std::transform(kernel.data(), kernel.data() + kernel.size(), distances.begin(),
                 [](float entry) { return -2 * std::log(static_cast<double>(entry)); });
  LandmarkDistance distance;
  distance.median = medianOf(std::move(distances));
  // A median that is not a number or beyond what the smallest normal float stands for is rounding.
  constexpr double smallest = std::numeric_limits<float>::min();
  if (!(distance.median < -2 * std::log(smallest))) return std::nullopt;
  distance.nearShare =
      static_cast<double>((kernel.array() > nearKernel).count()) / double(kernel.size());
  distance.rowSum = medianRowSum(*map, head);
  return distance;
}

}  // namespace softscope
