#include "widgets/workspace/PendingModels.h"

#include "widgets/workspace/ReadModel.h"

#include <algorithm>

namespace softscope {

ModelArrival arrivalOf(const ModelOpening& opening, const ReadModel& read, int id) {
  ModelArrival arrival{{}, opening.replaces, opening.becomesCurrent, opening.inFront};
  OpenedModel& opened = arrival.model;
  opened.id = id;
  opened.request = opening.request;
  opened.model = read.model;
  const ModelSummary& summary = opened.summary();
  // A recording has a fixed size, and a live model prepares its pictures itself.
  if (!summary.recorded && !summary.isLive) opened.inputSize = opening.inputSize;
  if (opening.prefersOwnSize && inputSizeOf(summary.transform) == opened.inputSize) {
    opened.inputSize = InputSize();
  }
  opened.fingerprint = QString::fromStdString(read.files.fingerprint);
  opened.files = read.files.files;
  opened.stamp = read.files.stamp;
  opened.names = read.names;
  opened.givenName = opening.givenName;
  opened.marks = opening.marks;
  return arrival;
}

ModelOpening openingOf(const OpenedModel& model) {
  return {model.request,   std::nullopt, model.wantedSize(), model.layer, {},
          model.givenName, model.marks};
}

ModelOpening openingOf(const ModelState& model) {
  return {model.request,     std::nullopt,    model.inputSize, model.layer,
          model.fingerprint, model.givenName, model.marks};
}

ModelState savedStateOf(const ModelOpening& opening) {
  return {opening.request,     opening.inputSize, opening.layer,
          opening.fingerprint, opening.givenName, opening.marks};
}

const ModelRequest* PendingModels::requestFor(int id) const {
  const auto opening = std::ranges::find(openings, std::optional(id), &ModelOpening::replaces);
  if (opening != openings.end()) return &opening->request;
  return arriving && arriving->replaces == id ? &arriving->model.request : nullptr;
}

std::vector<ModelState> PendingModels::additional() const {
  std::vector<ModelState> models;
  if (arriving && !arriving->replaces) {
    const OpenedModel& model = arriving->model;
    models.push_back({model.request, model.inputSize, model.layer, model.fingerprint,
                      model.givenName, model.marks});
  }
  for (const ModelOpening& opening : openings) {
    if (!opening.replaces) models.push_back(savedStateOf(opening));
  }
  return models;
}

std::optional<int> PendingModels::currentOfAdditional() const {
  std::optional<int> current;
  int index = 0;
  const auto note = [&](const auto& wish) {
    if (wish.replaces) return;
    // Each takes the place in front from those before it.
    if (wish.becomesCurrent) current = index;
    ++index;
  };
  if (arriving) note(*arriving);
  for (const ModelOpening& opening : openings) note(opening);
  return current;
}

}  // namespace softscope
