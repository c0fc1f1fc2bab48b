#include "widgets/workspace/UnopenedModels.h"

#include "widgets/workspace/PendingModels.h"

#include <algorithm>

namespace softscope {

void UnopenedModels::keep(const UnopenedModel& model) {
  const auto after = std::ranges::upper_bound(models_, model.place, {}, &UnopenedModel::place);
  models_.insert(after, model);
}

void UnopenedModels::keep(const ModelOpening& opening) {
  if (opening.place) keep({savedStateOf(opening), *opening.place, opening.becomesCurrent});
}

void UnopenedModels::forgetPlace(int place) {
  std::erase_if(models_, [place](const UnopenedModel& kept) { return kept.place == place; });
}

void UnopenedModels::forgetFor(const ModelOpening& opened, bool isChange) {
  std::erase_if(models_, [&](const UnopenedModel& kept) {
    const bool isSame = !isChange && kept.state.request.path == opened.request.path;
    return isSame || (opened.inFront && kept.isCurrent);
  });
}

}  // namespace softscope
