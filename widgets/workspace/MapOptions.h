#pragma once

#include "core/attention/GradientProductMap.h"
#include "core/inspect/LayerMap.h"
#include "widgets/settings/MapSettings.h"

#include <QtCore/QString>

#include <optional>
#include <vector>

namespace softscope {

class Workspace;
struct AnalysedLayer;

/// The maps that layers shown together offer.
struct MapOptions {
  /// The map that is shown: the chosen one if a layer has it, otherwise the attention.
  ShownMap shown = ShownMap::Attention;
  /// The maps that none of the layers has, even if it is chosen.
  std::vector<MissingMap> missing;
  /// Why there is nothing to choose; empty if there is.
  QString obstacle;
};

MapOptions mapOptions(ShownMap chosen, const std::vector<const LayerInspection*>& layers);

/// Returns the maps of the current model's chosen layer, given the map chosen in the workspace.
MapOptions currentMap(const Workspace& workspace);
/// Returns the maps of the layers that are compared.
MapOptions comparedMap(const Workspace& workspace);
/// Returns the maps of layers that are analysed together.
MapOptions analysedMap(const Workspace& workspace, const std::vector<AnalysedLayer>& layers);

/// Returns the logit whose gradient is to be shown: that of the class chosen for class maps, where
/// the product with a gradient is the map chosen; nothing for other maps.
std::optional<LogitRequest> shownLogit(const Workspace& workspace);

/// Chooses the class whose gradient is shown, here and in class maps.
void chooseLogit(Workspace& workspace, const LogitRequest& logit);

}  // namespace softscope
