#include "widgets/workspace/OpenSubjects.h"

#include "widgets/workspace/OpenModels.h"

namespace softscope {

bool OpenSubjects::operator()(const std::shared_ptr<const Inspection>& inspection) const {
  return std::any_of(models_.all().begin(), models_.all().end(),
                     [&inspection](const OpenedModel& opened) {
                       return opened.inspection == inspection || opened.ofAllChannels == inspection;
                     });
}

bool OpenSubjects::operator()(const std::shared_ptr<const AttentionMap>& attention) const {
  const auto isIn = [&attention](const std::shared_ptr<const Inspection>& inspection) {
    return inspection && std::any_of(inspection->layers.begin(), inspection->layers.end(),
                                     [&attention](const LayerInspection& layer) {
                                       return layer.attention == attention;
                                     });
  };
  const auto isOf = [&isIn](const OpenedModel& opened) {
    return isIn(opened.inspection) || isIn(opened.ofAllChannels);
  };
  return std::any_of(models_.all().begin(), models_.all().end(), isOf);
}

}  // namespace softscope
