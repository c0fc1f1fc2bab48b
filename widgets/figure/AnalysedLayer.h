#pragma once

#include "core/image/PreparedPicture.h"
#include "core/inspect/Inspection.h"

#include <QtCore/QString>

#include <cstddef>
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

/// `block1.0, head 3`; the model's name goes before where there are `severalModels`.
QString curveName(const AnalysedLayer& of, int head, bool severalModels);

/// `heads`, or all that a layer has where none are named.
std::vector<int> headsOrAll(const AnalysedLayer& of, const std::vector<int>& heads);

/// What names of a head's arrays begin with: `MODEL.LAYER.head_N`, the layer's dots as underscores.
std::string headName(const AnalysedLayer& of, int head);

/// Whether more than one model is among them.
bool severalModels(const std::vector<AnalysedLayer>& layers);

}  // namespace softscope
