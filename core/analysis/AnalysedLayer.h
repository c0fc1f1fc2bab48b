#pragma once

#include "core/Error.h"
#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/model/InputTransform.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// One layer of one model on one picture, the subject of an analysis.
struct AnalysedLayer {
  /// The checkpoint's file name without its extension; numbered if two models share it.
  std::string model;
  /// Appended to the mechanism in captions, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  std::shared_ptr<const Inspection> inspection;
  /// Index into the inspection's layers.
  std::size_t index = 0;
  /// The part of the picture that the model saw.
  PictureRegion region;

  const LayerInspection& layer() const { return inspection->layers[index]; }
  const AttentionDescription& attention() const { return layer().attention->description(); }

  bool operator==(const AnalysedLayer& other) const {
    return inspection == other.inspection && index == other.index && model == other.model &&
           region == other.region;
  }
};

/// Returns what pictures are called among several: the stems of their files' names, numbered as in
/// uniqueNames().
std::vector<std::string> pictureNames(const std::vector<std::string>& paths);

/// Returns `heads`, or all heads of the layer if `heads` is empty.
std::vector<int> headsOrAll(const AnalysedLayer& of, const std::vector<int>& heads);

/// Returns the layer's name as it appears in array names: dots become underscores.
std::string layerName(const LayerInspection& layer);

/// Returns the prefix of the names of a head's arrays: `MODEL.LAYER.head_N`, with the layer's dots
/// as underscores.
std::string headName(const AnalysedLayer& of, int head);

/// True if the layers belong to more than one model.
bool severalModels(const std::vector<AnalysedLayer>& layers);

/// Calls `work` and returns why it has no result: the message of its InspectionError; empty if it
/// has one. A MemoryError is passed on, since it is no property of what is analysed.
template <typename Work>
std::string obstacleOf(const Work& work) {
  try {
    work();
  } catch (const MemoryError&) {
    throw;
  } catch (const InspectionError& error) {
    return error.what();
  }
  return {};
}

/// Calls `compute` for every layer and reports which one is being computed. Returns one string per
/// layer: the message of the InspectionError if the analysis is not defined there, otherwise an
/// empty string.
std::vector<std::string> forEachLayer(
    const std::vector<AnalysedLayer>& layers, const Progress& progress,
    const std::function<void(std::size_t layer, const Progress& progress)>& compute);

/// Returns the layers of the results whose `obstacle` is empty. Each result has `of`, the layer it
/// is about, and `obstacle`, the reason why there is nothing to show.
template <typename Result>
std::vector<AnalysedLayer> definedLayers(const std::vector<Result>& results) {
  std::vector<AnalysedLayer> layers;
  for (const Result& result : results) {
    if (result.obstacle.empty()) layers.push_back(result.of);
  }
  return layers;
}

/// Returns the obstacle of each result; empty strings for results without one.
template <typename Result>
std::vector<std::string> obstaclesOf(const std::vector<Result>& results) {
  std::vector<std::string> obstacles;
  for (const Result& result : results) obstacles.push_back(result.obstacle);
  return obstacles;
}

}  // namespace softscope
