#include "widgets/workspace/MapOptions.h"

#include "core/analysis/AnalysedLayer.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

MapOptions mapOptions(ShownMap chosen, const std::vector<const LayerInspection*>& layers) {
  MapOptions offered{ShownMap::Attention, {}, {}};
  for (const auto& choice : mapSetting.choices) {
    const bool has = layers.empty() ||
                     std::any_of(layers.begin(), layers.end(), [&](const LayerInspection* layer) {
                       return hasMap(*layer, choice.value);
                     });
    if (!has) continue;
    offered.maps.push_back(choice.value);
    if (choice.value == chosen) offered.shown = chosen;
  }
  if (offered.maps.size() == 1) {
    offered.obstacle = QString::fromStdString(withoutConvolution(*layers.front()));
  }
  return offered;
}

MapOptions currentMap(const Workspace& workspace) {
  const LayerInspection* layer = workspace.models().shownLayer();
  if (!layer) return {};
  return mapOptions(workspace.view().map(), {layer});
}

MapOptions comparedMap(const Workspace& workspace) {
  std::vector<const LayerInspection*> layers;
  for (const OpenedModel& model : workspace.models().all()) {
    if (const LayerInspection* layer = model.shownLayer()) layers.push_back(layer);
  }
  return mapOptions(workspace.view().map(), layers);
}

MapOptions analysedMap(const Workspace& workspace, const std::vector<AnalysedLayer>& layers) {
  std::vector<const LayerInspection*> shown;
  for (const AnalysedLayer& layer : layers) shown.push_back(&layer.layer());
  return mapOptions(workspace.view().map(), shown);
}

}  // namespace softscope
