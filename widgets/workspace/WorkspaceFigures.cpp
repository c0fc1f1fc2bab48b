// What the workspace shows, as values, as figures, and as the state that brings it back.

#include "widgets/analysis/SizedRun.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFileInfo>

#include <algorithm>
#include <numeric>

namespace softscope {

std::vector<AttentionValues> Workspace::answers() const {
  const LayerInspection* layer = current() ? current()->shownLayer() : nullptr;
  if (!layer) return {};
  if (const auto head = onlyHead()) {
    return {attentionValues(*layer->attention, *head, token(), direction_)};
  }
  std::vector<int> heads(static_cast<std::size_t>(layer->attention->description().heads));
  std::iota(heads.begin(), heads.end(), 0);
  const bool several = heads.size() > 1;
  if (several && includesMean_) heads.push_back(AttentionValues::meanOfHeads);
  if (several && includesLargest_) heads.push_back(AttentionValues::largestOfHeads);
  return attentionValues(*layer->attention, heads, token(), direction_);
}

HeadsSubject Workspace::figure() const {
  HeadsSubject figure;
  const OpenedModel* opened = current();
  if (!opened || !opened->shownLayer() || !picture_) return figure;
  figure.picture = picture_;
  figure.region = opened->region;
  figure.modelName = opened->name().toStdString();
  figure.mechanismNote = opened->summary().mechanismNote();
  figure.layers = {*opened->shownLayer()};
  figure.queries = {MarkedQuery{query(), Qt::white, {}}};
  const auto head = onlyHead();
  if (head) figure.shown.heads = {*head};
  const bool several = !head && figure.layers.front().attention->description().heads > 1;
  figure.shown.mean = includesMean_ && several;
  figure.shown.largest = includesLargest_ && several;
  figure.direction = direction_;
  figure.view = view_;
  return figure;
}

std::vector<MarkedQuery> Workspace::markedQueries() const {
  std::vector<MarkedQuery> marked;
  for (std::size_t i = 0; i < pins().size(); ++i) {
    const int index = static_cast<int>(i);
    marked.push_back({pins()[i], queryColor(index), queryLetter(index)});
  }
  const bool pinned = std::find(pins().begin(), pins().end(), query()) != pins().end();
  if (!pinned) marked.push_back({query(), Qt::white, {}});
  return marked;
}

CompareSubject Workspace::compareFigure() const {
  CompareSubject figure;
  figure.picture = picture_;
  for (const OpenedModel& model : models_) {
    const LayerInspection* layer = model.shownLayer();
    if (layer) {
      figure.rows.push_back(compareRow(model.summary(), *model.inspection, *layer, model.region));
    }
  }
  figure.queries = markedQueries();
  figure.shown.single = !comparison_.onlyMean;
  figure.shown.mean = includesMean_ || comparison_.onlyMean;
  figure.shown.largest = includesLargest_;
  figure.direction = direction_;
  figure.view = view_;
  figure.linkedScales = comparison_.linkedScales;
  const bool differs = comparison_.difference != Comparison::Difference::None;
  for (std::size_t i = 1; differs && i < figure.rows.size(); ++i) {
    figure.differences.push_back(
        {0, static_cast<int>(i), comparison_.difference == Comparison::Difference::Normalised});
  }
  return figure;
}

bool Workspace::canCompare() const {
  return std::any_of(models_.begin(), models_.end(),
                     [](const OpenedModel& model) { return model.shownLayer() != nullptr; });
}

namespace {

/// A model's shown layer as analyses know it, under the model's own name.
AnalysedLayer shownLayerOf(const OpenedModel& model) {
  AnalysedLayer layer{model.name().toStdString(), {}, model.inspection, 0, model.region};
  layer.mechanismNote = model.summary().mechanismNote();
  while (&layer.layer() != model.shownLayer()) ++layer.index;
  return layer;
}

}  // namespace

std::vector<AnalysedLayer> Workspace::analysedLayers() const {
  std::vector<AnalysedLayer> shown;
  std::vector<std::string> names;
  for (const OpenedModel& model : models_) {
    const bool wanted = analysis_.scope.allModels || &model == current();
    if (!wanted || !model.shownLayer()) continue;
    shown.push_back(shownLayerOf(model));
    names.push_back(shown.back().model);
  }
  // Numbered as a command line with these models alone numbers them.
  names = uniqueNames(names);
  std::vector<AnalysedLayer> layers;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    AnalysedLayer layer = shown[i];
    layer.model = names[i];
    const std::size_t count = analysis_.scope.allLayers ? layer.inspection->layers.size() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      if (analysis_.scope.allLayers) layer.index = k;
      layers.push_back(layer);
    }
  }
  return layers;
}

NormsSubject::Run Workspace::runOf(const std::shared_ptr<const Inspection>& inspection) const {
  for (const OpenedModel& opened : models_) {
    if (opened.inspection == inspection) return sizedRun(inspector_, opened.model, picture_);
  }
  return {};
}

std::optional<AnalysedLayer> Workspace::analysedLayer() const {
  const OpenedModel* opened = current();
  if (!opened || !opened->shownLayer()) return std::nullopt;
  return shownLayerOf(*opened);
}

WorkspaceState Workspace::state() const {
  WorkspaceState state;
  if (picture_ && pictureBytes_.isEmpty()) {
    state.picturePath = QFileInfo(QString::fromStdString(picture_->path)).absoluteFilePath();
  } else if (picture_) {
    state.pictureName = QString::fromStdString(picture_->path);
    state.pictureBytes = pictureBytes_;
  }
  for (const OpenedModel& model : models_) {
    ModelState saved{model.request, model.wantedSize(), model.layer, model.fingerprint};
    saved.request.path =
        QFileInfo(QString::fromStdString(model.request.path)).absoluteFilePath().toStdString();
    state.models.push_back(std::move(saved));
  }
  // What is still on its way is part of it too.
  if (arriving_ && !arriving_->replaces) {
    const OpenedModel& model = arriving_->model;
    state.models.push_back({model.request, model.inputSize, model.layer, model.fingerprint});
  }
  for (const Opening& opening : openings_) {
    if (opening.replaces) continue;
    state.models.push_back(
        {opening.request, opening.inputSize, opening.layer, opening.fingerprint});
  }
  state.current = current_;
  state.queries = history_.now();
  state.direction = direction_;
  state.view = view_;
  state.includesMean = includesMean_;
  state.onlyHead = onlyHead_;
  state.includesLargest = includesLargest_;
  state.comparison = comparison_;
  state.analysis = analysis_;
  state.visible = visible_;
  state.page = page_;
  return state;
}

void Workspace::restore(const WorkspaceState& state) {
  cancel();
  models_.clear();
  current_ = 0;
  picture_.reset();
  pictureImage_ = {};
  history_ = {};
  history_.change(state.queries);
  history_.forget();
  direction_ = state.direction;
  view_ = state.view;
  includesMean_ = state.includesMean;
  onlyHead_ = state.onlyHead;
  includesLargest_ = state.includesLargest;
  comparison_ = state.comparison;
  analysis_ = state.analysis;
  visible_ = state.visible;
  page_ = state.page;
  for (std::size_t i = 0; i < state.models.size(); ++i) {
    const ModelState& model = state.models[i];
    openings_.push_back({model.request, std::nullopt, model.inputSize, model.layer,
                         model.fingerprint, static_cast<int>(i) == state.current});
  }
  Q_EMIT pictureChanged();
  tellModelChanged();
  Q_EMIT viewChanged();
  Q_EMIT comparisonChanged();
  Q_EMIT analysisChanged();
  Q_EMIT pageChanged();
  if (!state.pictureBytes.isEmpty()) {
    decodePicture(state.pictureBytes, state.pictureName);
  } else if (!state.picturePath.isEmpty()) {
    openPicture(state.picturePath);
  }
  proceed();
}

}  // namespace softscope
