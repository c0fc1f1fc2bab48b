#include "widgets/workspace/LayerLikeness.h"

#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenSubjects.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>

#include <utility>

namespace softscope {

LayerLikeness::LayerLikeness(const Workspace& workspace, Worker& worker,
                             std::function<void()> arrived)
    : workspace_(workspace), likeness_(worker, std::move(arrived)) {}

std::optional<LayerLikeness::Subject> LayerLikeness::subject() const {
  const LayerInspection* layer = workspace_.models().shownLayer();
  if (!layer || !canCompareAnswers(layer->attention->description())) return std::nullopt;
  return Subject{layer->attention, currentMap(workspace_).shown};
}

const std::vector<HeadLikeness>* LayerLikeness::get() {
  const std::optional<Subject> wanted = subject();
  if (!wanted) return nullptr;
  const LayerInspection& layer = *workspace_.models().shownLayer();
  return likeness_.get(*wanted, QCoreApplication::translate("LayerLikeness", "Comparing rows"),
                       [map = mapOf(layer, wanted->map)](const Progress& progress) {
                         return headLikeness(*map, progress);
                       });
}

SharedLikeness LayerLikeness::known() const {
  const std::optional<Subject> wanted = subject();
  return wanted ? likeness_.sharedFor(*wanted) : nullptr;
}

void LayerLikeness::releaseResults() {
  const OpenSubjects isOpen(workspace_.models());
  likeness_.keepIf([&isOpen](const Subject& subject) { return isOpen(subject.attention); });
}

}  // namespace softscope
