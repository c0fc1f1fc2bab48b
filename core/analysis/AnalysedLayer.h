#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/model/PictureRegion.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// One layer of one model on one picture: what an analysis is of.
struct AnalysedLayer {
  /// The checkpoint's file name without its ending; numbered where two models share it.
  std::string model;
  /// Follows the mechanism in captions, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  std::shared_ptr<const Inspection> inspection;
  /// Of the inspection's layers.
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

/// `name`, `name_2`, ...: the same names in the same order, each only once.
std::vector<std::string> uniqueNames(const std::vector<std::string>& names);

/// `heads`, or all that a layer has where none are named.
std::vector<int> headsOrAll(const AnalysedLayer& of, const std::vector<int>& heads);

/// A layer's name in the name of an array: underscores for dots.
std::string layerName(const LayerInspection& layer);

/// What names of a head's arrays begin with: `MODEL.LAYER.head_N`, the layer's dots as underscores.
std::string headName(const AnalysedLayer& of, int head);

/// Whether more than one model is among them.
bool severalModels(const std::vector<AnalysedLayer>& layers);

/// Calls `compute` for every layer and reports which. Where it throws InspectionError the analysis
/// is not defined: the message takes its place in what is returned, which is empty for the others.
std::vector<std::string> forEachLayer(
    const std::vector<AnalysedLayer>& layers, const Progress& progress,
    const std::function<void(std::size_t layer, const Progress& progress)>& compute);

/// Of an analysis' results, each with `of`, the layer it is about, and `obstacle`, why there is
/// nothing to show of it: the layers that have none.
template <typename Result>
std::vector<AnalysedLayer> definedLayers(const std::vector<Result>& results) {
  std::vector<AnalysedLayer> layers;
  for (const Result& result : results) {
    if (result.obstacle.empty()) layers.push_back(result.of);
  }
  return layers;
}

/// The obstacle of each result, empty where there is none.
template <typename Result>
std::vector<std::string> obstaclesOf(const std::vector<Result>& results) {
  std::vector<std::string> obstacles;
  for (const Result& result : results) obstacles.push_back(result.obstacle);
  return obstacles;
}

}  // namespace softscope
