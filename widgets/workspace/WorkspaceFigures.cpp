#include "widgets/workspace/WorkspaceFigures.h"

#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ComparedParts.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {

namespace {

/// Returns the heads of the current layer that are shown: one of them, or all and, of several, what
/// the view adds.
ShownHeads shownHeads(const Workspace& workspace, const LayerInspection& layer) {
  const ViewChoice& view = workspace.view();
  ShownHeads shown;
  if (const auto head = view.onlyHead()) {
    shown.heads = {*head};
    return shown;
  }
  const bool several = layer.attention->description().heads > 1;
  shown.mean = view.overHeads().mean && several;
  shown.largest = view.overHeads().largest && several;
  return shown;
}

}  // namespace

std::optional<QueriedLayer> askedHeads(const Workspace& workspace) {
  const LayerInspection* layer = workspace.models().shownLayer();
  if (!layer) return std::nullopt;
  return askLayer(*layer, workspace.queries().extent(), workspace.queries().query(),
                  workspace.layers().direction(), shownHeads(workspace, *layer),
                  currentMap(workspace).shown);
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
  figure.shown = shownHeads(workspace, figure.layers.front());
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
         model.inputSize, model.givenName.toStdString(), versionsOf(model)});
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
    source.pictureVersion = workspace.picture().version();
  }
  return source;
}

CompareSubject compareSubject(const Workspace& workspace) {
  const Comparison& comparison = workspace.comparison().settings();
  const ViewChoice& view = workspace.view();
  CompareSubject figure;
  figure.picture = workspace.picture().shared();
  std::vector<const OpenedModel*> models;
  std::vector<ComparedPart> parts = comparedParts(workspace.models());
  std::erase_if(parts, [](const ComparedPart& part) { return !part.layer; });
  for (const ComparedPart& part : parts) {
    const OpenedModel* model = &workspace.models().all()[part.model];
    if (models.empty() || models.back() != model) models.push_back(model);
  }
  const std::vector<QString> names = namesBeside(models);
  for (const ComparedPart& part : parts) {
    const OpenedModel& model = workspace.models().all()[part.model];
    figure.rows.push_back(
        compareRow(model.summary(), *model.inspection, *part.layer, model.region));
    CompareRow& row = figure.rows.back();
    const auto index = static_cast<std::size_t>(std::ranges::find(models, &model) - models.begin());
    row.modelName = names[index].toStdString();
    row.mechanismNote = model.note;
    row.head = part.head;
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
