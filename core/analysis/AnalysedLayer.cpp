#include "core/analysis/AnalysedLayer.h"

#include "core/Error.h"
#include "core/text/Names.h"
#include "core/text/Words.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace softscope {

std::vector<std::string> pictureNames(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(std::filesystem::path(path).stem().string());
  }
  return uniqueNames(names);
}

std::vector<int> headsOrAll(const AnalysedLayer& of, const std::vector<int>& heads) {
  if (!heads.empty()) return heads;
  std::vector<int> all(static_cast<std::size_t>(of.attention().heads));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string layerName(const LayerInspection& layer) {
  std::string name = layer.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string headName(const AnalysedLayer& of, int head) {
  return of.model + "." + layerName(of.layer()) + ".head_" + std::to_string(head);
}

bool severalModels(const std::vector<AnalysedLayer>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](const AnalysedLayer& layer) {
    return layer.model != layers.front().model;
  });
}

std::vector<std::string> forEachLayer(
    const std::vector<AnalysedLayer>& layers, const Progress& progress,
    const std::function<void(std::size_t layer, const Progress& progress)>& compute) {
  std::vector<std::string> obstacles(layers.size());
  const auto count = static_cast<double>(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto from = static_cast<double>(i) / count;
    const auto to = static_cast<double>(i + 1) / count;
    const std::string name = shortLayerName(layers[i].layer().name);
    progress.report(from, name);
    try {
      compute(i, progress.part(from, to, name));
    } catch (const InspectionError& error) {
      obstacles[i] = error.what();
    }
  }
  return obstacles;
}

}  // namespace softscope
