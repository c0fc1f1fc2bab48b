#include "widgets/workspace/MapOptions.h"

#include "core/analysis/AnalysedLayer.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ComparedParts.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

namespace {

/// Tells whether a layer has a map, or will have it as soon as it is asked for.
bool offers(const LayerInspection& layer, ShownMap map) {
  return hasMap(layer, map) || (map == ShownMap::GradientProduct && layer.gradientObstacle.empty());
}

}  // namespace

MapOptions mapOptions(ShownMap chosen, const std::vector<const LayerInspection*>& layers) {
  MapOptions offered{ShownMap::Attention, {}, {}};
  for (const auto& choice : mapSetting.choices) {
    const auto isOffered = [&](const LayerInspection* layer) {
      return offers(*layer, choice.value);
    };
    const auto isThere = [&](const LayerInspection* layer) { return hasMap(*layer, choice.value); };
    if (!layers.empty() && std::ranges::none_of(layers, isOffered)) {
      offered.missing.push_back({choice.value, withoutMap(*layers.front(), choice.value)});
      continue;
    }
    const bool isShown = layers.empty() || std::ranges::any_of(layers, isThere);
    if (choice.value == chosen && isShown) offered.shown = chosen;
  }
  if (offered.missing.size() + 1 == mapSetting.choices.size()) {
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
  for (const ComparedPart& part : comparedParts(workspace.models())) {
    if (part.layer) layers.push_back(part.layer);
  }
  return mapOptions(workspace.view().map(), layers);
}

std::optional<LogitRequest> shownLogit(const Workspace& workspace) {
  if (workspace.view().map() != ShownMap::GradientProduct) return std::nullopt;
  const ClassMapSettings& chosen = workspace.analysis().settings().of<ClassMapSettings>();
  LogitRequest logit{.classIndex = chosen.classIndex};
  // A class is subtracted from one that is named, so that a command says which.
  if (logit.classIndex) logit.against = chosen.against;
  return logit;
}

void chooseLogit(Workspace& workspace, const LogitRequest& logit) {
  AnalysisSettings settings = workspace.analysis().settings();
  settings.of<ClassMapSettings>().classIndex = logit.classIndex;
  settings.of<ClassMapSettings>().against = logit.against;
  workspace.analysis().set(settings);
}

MapOptions analysedMap(const Workspace& workspace, const std::vector<AnalysedLayer>& layers) {
  std::vector<const LayerInspection*> shown;
  for (const AnalysedLayer& layer : layers) shown.push_back(&layer.layer());
  return mapOptions(workspace.view().map(), shown);
}

}  // namespace softscope
