#include "widgets/workspace/ComparedParts.h"

#include "core/inspect/Inspection.h"
#include "widgets/workspace/OpenModels.h"

#include <algorithm>

namespace softscope {
namespace {

/// Returns the collected heads that a model has or, before it has seen the picture, may have.
std::vector<ComparedPart> collectedParts(const OpenModels& models, std::size_t index) {
  const OpenedModel& model = models.all()[index];
  std::vector<ComparedPart> parts;
  for (const HeadOfLayer& collected : model.marks.collected) {
    const LayerInspection* layer =
        model.inspection ? model.inspection->find(collected.layer) : nullptr;
    const bool isThere = layer ? collected.head < layer->attention->description().heads
                               : !model.inspection && model.hasLayer(collected.layer);
    if (isThere) parts.push_back({index, layer, collected.head});
  }
  return parts;
}

}  // namespace

std::vector<ComparedPart> comparedParts(const OpenModels& models) {
  std::vector<ComparedPart> parts;
  for (const std::size_t index : models.heard()) {
    const std::vector<ComparedPart> collected = collectedParts(models, index);
    parts.insert(parts.end(), collected.begin(), collected.end());
  }
  if (!parts.empty()) return parts;
  for (const std::size_t index : models.heard()) {
    parts.push_back({index, models.all()[index].shownLayer(), {}});
  }
  return parts;
}

std::size_t collectedHeads(const OpenModels& models) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < models.all().size(); ++i) count += collectedParts(models, i).size();
  return count;
}

}  // namespace softscope
