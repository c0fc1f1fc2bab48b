#include "widgets/workspace/AnalysedLayers.h"

#include "core/text/Names.h"
#include "widgets/workspace/OpenModels.h"

#include <algorithm>
#include <string>

namespace softscope {
namespace {

/// Returns a model's shown layer in the form that analyses use, under the model's own name.
AnalysedLayer shownLayerOf(const OpenedModel& model, bool ofChannel) {
  AnalysedLayer layer{model.name().toStdString(), model.note,
                      ofChannel ? model.inspection : model.ofAllChannels, 0, model.region};
  while (layer.layer().name != model.layer) ++layer.index;
  return layer;
}

}  // namespace

std::vector<AnalysedLayer> analysedLayers(const OpenModels& models, const AnalysisScope& scope,
                                          bool ofChannel) {
  std::vector<AnalysedLayer> shown;
  std::vector<std::string> names;
  for (const OpenedModel& model : models.all()) {
    const bool wanted = scope.allModels ? !models.isLeftOut(model) : &model == models.current();
    if (!wanted || !model.shownLayer()) continue;
    shown.push_back(shownLayerOf(model, ofChannel));
    names.push_back(shown.back().model);
  }
  names = uniqueNames(names);
  std::vector<AnalysedLayer> layers;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    AnalysedLayer layer = shown[i];
    layer.model = names[i];
    const std::size_t count = scope.allLayers ? layer.inspection->layers.size() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      if (scope.allLayers) layer.index = k;
      layers.push_back(layer);
    }
  }
  return layers;
}

std::optional<AnalysedLayer> analysedLayer(const OpenModels& models) {
  const OpenedModel* opened = models.current();
  if (!opened || !opened->shownLayer()) return std::nullopt;
  return shownLayerOf(*opened, false);
}

const OpenedModel* openedModelOf(const OpenModels& models, const AnalysedLayer& layer) {
  const auto found = std::ranges::find_if(models.all(), [&layer](const OpenedModel& opened) {
    return layer.inspection == opened.ofAllChannels || layer.inspection == opened.inspection;
  });
  return found == models.all().end() ? nullptr : &*found;
}

}  // namespace softscope
