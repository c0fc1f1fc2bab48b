#include "widgets/workspace/OpenSubjects.h"

#include "widgets/workspace/OpenModels.h"

namespace softscope {

bool OpenSubjects::operator()(const std::shared_ptr<const Inspection>& inspection) const {
  return std::any_of(
      models_.all().begin(), models_.all().end(),
      [&inspection](const OpenedModel& opened) { return opened.inspection == inspection; });
}

bool OpenSubjects::operator()(const std::shared_ptr<const AttentionMap>& attention) const {
  const auto isOf = [&attention](const OpenedModel& opened) {
    return opened.inspection &&
           std::any_of(
               opened.inspection->layers.begin(), opened.inspection->layers.end(),
               [&attention](const LayerInspection& layer) { return layer.attention == attention; });
  };
  return std::any_of(models_.all().begin(), models_.all().end(), isOf);
}

}  // namespace softscope
