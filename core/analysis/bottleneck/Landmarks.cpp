#include "core/analysis/bottleneck/Landmarks.h"

#include "core/Error.h"
#include "core/Quantile.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/LandmarkTokens.h"
#include "core/attention/Mechanism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
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

LandmarkPlace placeOf(std::vector<int> patches, const TokenGrid& grid) {
  LandmarkPlace place;
  for (const int patch : patches) {
    const int row = patch / grid.width;
    const int column = patch % grid.width;
    place.x += (column + 0.5) / grid.width;
    place.y += (row + 0.5) / grid.height;
  }
  place.x /= static_cast<double>(patches.size());
  place.y /= static_cast<double>(patches.size());
  place.patches = std::move(patches);
  return place;
}

std::vector<LandmarkPlace> placesOf(const std::vector<std::vector<int>>& groups,
                                    const TokenGrid& grid) {
  std::vector<LandmarkPlace> places;
  for (const std::vector<int>& patches : groups) places.push_back(placeOf(patches, grid));
  return places;
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

std::optional<std::vector<LandmarkPlace>> landmarkPlaces(const AttentionDescription& description) {
  if (!description.landmarks || !description.queryGrid) return std::nullopt;
  const TokenGrid& grid = *description.queryGrid;
  if (*description.landmarks < 1 || *description.landmarks > grid.count()) return std::nullopt;
  if (!description.landmarkTokens.empty()) return placesOf(description.landmarkTokens, grid);
  if (!description.landmarkGrid) {
    return placesOf(runTokens(grid.count(), *description.landmarks).groups, grid);
  }
  const auto ratio = description.parameters.find("ratio");
  if (ratio == description.parameters.end()) return std::nullopt;
  const LandmarkTokens windows = windowTokens(grid, static_cast<int>(ratio->second));
  if (windows.grid != description.landmarkGrid) return std::nullopt;
  return placesOf(windows.groups, grid);
}

int landmarkAt(const std::vector<LandmarkPlace>& places, const TokenGrid& grid, double x,
               double y) {
  const int row = std::clamp(static_cast<int>(y * grid.height), 0, grid.height - 1);
  const int column = std::clamp(static_cast<int>(x * grid.width), 0, grid.width - 1);
  const int patch = row * grid.width + column;
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& patches = places[i].patches;
    if (std::find(patches.begin(), patches.end(), patch) != patches.end()) {
      return static_cast<int>(i);
    }
    const double distance = std::hypot(places[i].x - x, places[i].y - y);
    if (distance < least) {
      least = distance;
      nearest = static_cast<int>(i);
    }
  }
  return nearest;
}

Vector landmarkColumn(const AttentionMap& map, int head, int landmark) {
  map.checkHead(head);
  const auto* factored = dynamic_cast<const FactoredMap*>(&map);
  if (factored == nullptr || !map.description().landmarks) {
    throw InspectionError("attention of the kind " + titleOfMechanism(map.description().mechanism) +
                          " has no landmarks; choose a layer of " + mechanismsWithBottleneck());
  }
  if (landmark < 0 || landmark >= *map.description().landmarks) {
    throw InspectionError("landmark " + std::to_string(landmark) + " is outside 0 to " +
                          std::to_string(*map.description().landmarks - 1));
  }
  const auto column = factored->left()[head].col(landmark);
  const std::optional<TokenGrid>& grid = map.description().queryGrid;
  if (!grid) return column;
  return column.segment(column.size() - map.description().suffixTokens - grid->count(),
                        grid->count());
}

}  // namespace softscope
