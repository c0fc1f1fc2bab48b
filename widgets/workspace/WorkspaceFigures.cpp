#include "widgets/workspace/WorkspaceFigures.h"

#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/ComparisonChoice.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>
#include <numeric>

namespace softscope {

std::vector<AttentionValues> headAnswers(const Workspace& workspace) {
  const LayerInspection* layer = workspace.models().shownLayer();
  if (!layer) return {};
  const auto shown = mapOf(*layer, currentMap(workspace).shown);
  const AttentionMap& map = *shown;
  const int token = workspace.queries().token();
  const Direction direction = workspace.layers().direction();
  const ViewChoice& view = workspace.view();
  if (const auto head = view.onlyHead()) return {attentionValues(map, *head, token, direction)};
  std::vector<int> heads(static_cast<std::size_t>(map.description().heads));
  std::iota(heads.begin(), heads.end(), 0);
  const bool several = heads.size() > 1;
  if (several && view.overHeads().mean) heads.push_back(AttentionValues::meanOfHeads);
  if (several && view.overHeads().largest) heads.push_back(AttentionValues::largestOfHeads);
  return attentionValues(map, heads, token, direction);
}

HeadsSubject headsSubject(const Workspace& workspace) {
  HeadsSubject figure;
  const OpenedModel* opened = workspace.models().current();
  if (!opened || !opened->shownLayer() || !workspace.picture().get()) return figure;
  const ViewChoice& view = workspace.view();
  figure.picture = workspace.picture().shared();
  figure.region = opened->region;
  figure.modelName = opened->name().toStdString();
  figure.mechanismNote = opened->note;
  figure.layers = {*opened->shownLayer()};
  figure.queries = {MarkedQuery{workspace.queries().query(), Qt::white, {}}};
  const auto head = view.onlyHead();
  if (head) figure.shown.heads = {*head};
  const bool several = !head && figure.layers.front().attention->description().heads > 1;
  figure.shown.mean = view.overHeads().mean && several;
  figure.shown.largest = view.overHeads().largest && several;
  figure.direction = workspace.layers().direction();
  figure.map = currentMap(workspace).shown;
  figure.view = view.settings();
  return figure;
}

FigureSource figureSource(const Workspace& workspace, const std::vector<std::size_t>& models) {
  FigureSource source;
  source.threads = workspace.compute().threads;
  for (const std::size_t index : models) {
    const OpenedModel& model = workspace.models().all()[index];
    // The command's --size must not change the stride that the window took.
    const bool isOwnSize = model.inputSize.kind == InputSize::Kind::Published;
    source.models.push_back(
        {isOwnSize ? model.request : withTakenStride(model.request, model.summary()),
         model.inputSize, model.givenName.toStdString()});
  }
  const auto showsChannel = [&](std::size_t index) {
    const OpenedModel& model = workspace.models().all()[index];
    return model.inspection && model.inspection != model.ofAllChannels;
  };
  if (std::ranges::any_of(models, showsChannel)) source.channel = workspace.view().channel();
  if (workspace.picture().isFile()) {
    const Picture& picture = *workspace.picture().get();
    source.picture = picture.path;
    source.reading = picture.source.reading;
  }
  return source;
}

CompareSubject compareSubject(const Workspace& workspace) {
  const Comparison& comparison = workspace.comparison().settings();
  const ViewChoice& view = workspace.view();
  CompareSubject figure;
  figure.picture = workspace.picture().shared();
  std::vector<const OpenedModel*> models;
  for (const OpenedModel& model : workspace.models().all()) {
    if (model.shownLayer()) models.push_back(&model);
  }
  const std::vector<QString> names = namesBeside(models);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const OpenedModel& model = *models[i];
    figure.rows.push_back(
        compareRow(model.summary(), *model.inspection, *model.shownLayer(), model.region));
    figure.rows.back().modelName = names[i].toStdString();
    figure.rows.back().mechanismNote = model.note;
  }
  figure.queries = workspace.queries().marked();
  figure.shown.single = !comparison.onlyMean;
  figure.shown.mean = view.overHeads().mean || comparison.onlyMean;
  figure.shown.largest = view.overHeads().largest;
  figure.direction = workspace.layers().direction();
  figure.map = comparedMap(workspace).shown;
  figure.view = view.settings();
  figure.linkedScales = comparison.linkedScales;
  const bool differs = comparison.difference != Comparison::Difference::None;
  for (std::size_t i = 1; differs && i < figure.rows.size(); ++i) {
    figure.differences.push_back(
        {0, static_cast<int>(i), comparison.difference == Comparison::Difference::Normalised});
  }
  return figure;
}

}  // namespace softscope
