#include "widgets/workspace/OpenModels.h"

#include <algorithm>
#include <utility>

namespace softscope {

const OpenedModel* OpenModels::current() const {
  return models_.empty() ? nullptr : &models_[static_cast<std::size_t>(current_)];
}

std::size_t OpenModels::indexOf(int id) const {
  const auto found = std::find_if(models_.begin(), models_.end(),
                                  [id](const OpenedModel& model) { return model.id == id; });
  return static_cast<std::size_t>(found - models_.begin());
}

const OpenedModel* OpenModels::find(int id) const {
  const std::size_t index = indexOf(id);
  return index < models_.size() ? &models_[index] : nullptr;
}

OpenedModel* OpenModels::row(int id) {
  const std::size_t index = indexOf(id);
  return index < models_.size() ? &models_[index] : nullptr;
}

const OpenedModel* OpenModels::currentOrFirst(
    const std::function<bool(const OpenedModel&)>& condition) const {
  const OpenedModel* current = this->current();
  if (current && condition(*current)) return current;
  const auto first = std::ranges::find_if(models_, condition);
  return first == models_.end() ? nullptr : &*first;
}

const LayerInspection* OpenModels::shownLayer() const {
  return current() ? current()->shownLayer() : nullptr;
}

bool OpenModels::anyIsShown() const {
  return std::any_of(models_.begin(), models_.end(),
                     [](const OpenedModel& model) { return model.shownLayer() != nullptr; });
}

bool OpenModels::isLeftOut(const OpenedModel& model) const {
  // Without this, silencing the last one would leave pages with nothing to show.
  const auto isSilenced = [](const OpenedModel& other) { return other.marks.isSilenced; };
  return model.marks.isSilenced && !std::ranges::all_of(models_, isSilenced);
}

std::vector<std::size_t> OpenModels::heard() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < models_.size(); ++i) {
    if (!isLeftOut(models_[i])) indices.push_back(i);
  }
  return indices;
}

void OpenModels::tellChanged() {
  Q_EMIT changed();
  Q_EMIT inspectionChanged();
  Q_EMIT layerChanged();
}

void OpenModels::tellMarks() {
  Q_EMIT changed();
  Q_EMIT marksChanged();
}

void OpenModels::setCurrent(int index) {
  if (index == current_ || index < 0 || index >= static_cast<int>(models_.size())) return;
  before_ = current()->id;
  current_ = index;
  tellChanged();
}

void OpenModels::flip() {
  if (models_.size() < 2) return;
  const std::size_t index = before_ ? indexOf(*before_) : models_.size();
  const int known = static_cast<int>(index);
  const bool isOther = index < models_.size() && known != current_;
  setCurrent(isOther ? known : (current_ + 1) % static_cast<int>(models_.size()));
}

void OpenModels::place(OpenedModel model, std::optional<int> replaces, bool becomesCurrent) {
  OpenedModel* replaced = replaces ? row(*replaces) : nullptr;
  model.showChannel(channel_);
  const auto index = static_cast<int>(models_.size());
  if (replaced) {
    *replaced = std::move(model);
  } else {
    if (becomesCurrent && current()) before_ = current()->id;
    models_.push_back(std::move(model));
    if (becomesCurrent) current_ = index;
  }
  tellChanged();
}

void OpenModels::update(const OpenedModel& model) {
  OpenedModel* before = row(model.id);
  if (!before) return;
  *before = model;
  before->showChannel(channel_);
  tellChanged();
}

void OpenModels::remove(int index) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  models_.erase(models_.begin() + index);
  const int last = std::max(0, static_cast<int>(models_.size()) - 1);
  current_ = std::clamp(index < current_ ? current_ - 1 : current_, 0, last);
  tellChanged();
}

void OpenModels::move(int from, int to) {
  const int count = static_cast<int>(models_.size());
  if (from < 0 || to < 0 || from >= count || to >= count || from == to) return;
  const int shown = models_[static_cast<std::size_t>(current_)].id;
  const auto first = models_.begin();
  if (from < to) {
    std::rotate(first + from, first + from + 1, first + to + 1);
  } else {
    std::rotate(first + to, first + from, first + from + 1);
  }
  current_ = static_cast<int>(indexOf(shown));
  tellChanged();
}

void OpenModels::rename(int index, const QString& name) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  OpenedModel& model = models_[static_cast<std::size_t>(index)];
  if (model.givenName == name.trimmed()) return;
  model.givenName = name.trimmed();
  tellChanged();
}

void OpenModels::silence(int index, bool silenced) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  ModelMarks& marks = models_[static_cast<std::size_t>(index)].marks;
  if (marks.isSilenced == silenced) return;
  marks.isSilenced = silenced;
  tellMarks();
}

void OpenModels::collect(int index, const HeadOfLayer& head) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  std::vector<HeadOfLayer>& collected = models_[static_cast<std::size_t>(index)].marks.collected;
  if (std::erase(collected, head) == 0) collected.push_back(head);
  tellMarks();
}

void OpenModels::takeAllOut() {
  for (OpenedModel& model : models_) model.marks.collected.clear();
  tellMarks();
}

void OpenModels::clear() {
  models_.clear();
  current_ = 0;
  tellChanged();
}

void OpenModels::wantSize(int id, const InputSize& size) {
  OpenedModel* model = row(id);
  if (!model) return;
  model->failure.clear();
  if (!model->inspection) {
    model->inputSize = size;
    tellChanged();
  } else if (model->inputSize == size) {
    model->nextSize.reset();
  } else {
    model->nextSize = size;
  }
}

void OpenModels::noteFailure(int id, const QString& reason) {
  OpenedModel* model = row(id);
  if (!model) return;
  if (model->inspection) {
    model->nextSize.reset();
  } else {
    model->failure = reason;
    tellChanged();
  }
}

void OpenModels::noteLogit(int id, const std::optional<LogitRequest>& logit) {
  if (OpenedModel* model = row(id)) model->logit = logit;
}

void OpenModels::forgetFailures() {
  for (OpenedModel& model : models_) model.failure.clear();
}

void OpenModels::stopWaiting(const QString& reason) {
  for (OpenedModel& model : models_) {
    model.nextSize.reset();
    if (!model.inspection && model.failure.isEmpty()) model.failure = reason;
  }
}

void OpenModels::forgetInspections() {
  for (OpenedModel& model : models_) {
    model.inspection.reset();
    model.ofAllChannels.reset();
    model.failure.clear();
    model.inputSize = model.wantedSize();
    model.nextSize.reset();
  }
  Q_EMIT inspectionChanged();
}

void OpenModels::showChannel(std::optional<int> channel) {
  if (channel == channel_) return;
  channel_ = channel;
  bool isOther = false;
  for (OpenedModel& model : models_) {
    const auto before = model.inspection;
    model.showChannel(channel);
    isOther = isOther || model.inspection != before;
  }
  if (isOther) tellChanged();
}

void OpenModels::setLayers(const std::vector<std::string>& layers) {
  for (std::size_t i = 0; i < layers.size(); ++i) models_[i].layer = layers[i];
  Q_EMIT layerChanged();
}

}  // namespace softscope
