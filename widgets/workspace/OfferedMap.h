#pragma once

#include "core/inspect/LayerMap.h"

#include <QtCore/QString>

#include <vector>

namespace softscope {

class Workspace;
struct AnalysedLayer;

/// Which of their maps layers show together.
struct OfferedMap {
  /// What was chosen if one of them has it, attention otherwise.
  ShownMap shown = ShownMap::Attention;
  /// Those that one of them has.
  std::vector<ShownMap> maps = {ShownMap::Attention};
  /// Why there is nothing to choose; empty where there is.
  QString obstacle;
};

OfferedMap offeredMap(ShownMap chosen, const std::vector<const LayerInspection*>& layers);

/// Of the current model's chosen layer, as the workspace has chosen.
OfferedMap currentMap(const Workspace& workspace);
/// Of every model's.
OfferedMap comparedMap(const Workspace& workspace);
/// Of layers that are analysed together.
OfferedMap analysedMap(const Workspace& workspace, const std::vector<AnalysedLayer>& layers);

}  // namespace softscope
