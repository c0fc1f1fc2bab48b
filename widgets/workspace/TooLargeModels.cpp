#include "widgets/workspace/TooLargeModels.h"

#include <utility>

namespace softscope {

void TooLargeModels::add(const OpenedModel& model) {
  if (model.request.device == "cpu") return;
  forget(model.id);
  ModelOpening again = openingOf(model);
  again.replaces = model.id;
  again.fingerprint = model.fingerprint;
  openings_.push_back(std::move(again));
}

void TooLargeModels::forget(int id) {
  std::erase_if(openings_, [id](const ModelOpening& opening) { return opening.replaces == id; });
}

std::vector<ModelOpening> TooLargeModels::takeForCpu() {
  std::vector<ModelOpening> openings = std::exchange(openings_, {});
  for (ModelOpening& opening : openings) opening.request.device = "cpu";
  return openings;
}

}  // namespace softscope
