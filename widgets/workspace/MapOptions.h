#pragma once

#include "core/inspect/LayerMap.h"

#include <QtCore/QString>

#include <vector>

namespace softscope {

class Workspace;
struct AnalysedLayer;

/// The maps that layers shown together offer.
struct MapOptions {
  /// The map that is shown: the chosen one if a layer has it, otherwise the attention.
  ShownMap shown = ShownMap::Attention;
  /// The maps that at least one of the layers has.
  std::vector<ShownMap> maps = {ShownMap::Attention};
  /// Why there is nothing to choose; empty if there is.
  QString obstacle;
};

MapOptions mapOptions(ShownMap chosen, const std::vector<const LayerInspection*>& layers);

/// Returns the maps of the current model's chosen layer, given the map chosen in the workspace.
MapOptions currentMap(const Workspace& workspace);
/// Returns the maps of all models' chosen layers.
MapOptions comparedMap(const Workspace& workspace);
/// Returns the maps of layers that are analysed together.
MapOptions analysedMap(const Workspace& workspace, const std::vector<AnalysedLayer>& layers);

}  // namespace softscope
