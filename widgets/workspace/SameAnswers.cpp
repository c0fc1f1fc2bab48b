#include "widgets/workspace/SameAnswers.h"

#include "widgets/workspace/OfferedMap.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/StillOpen.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>

#include <utility>

namespace softscope {

SameAnswers::SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived)
    : workspace_(workspace), likeness_(worker, std::move(arrived)) {}

std::optional<SameAnswers::Subject> SameAnswers::subject() const {
  const LayerInspection* layer = workspace_.models().shownLayer();
  if (!layer || !canCompareAnswers(layer->attention->description())) return std::nullopt;
  return Subject{layer->attention, currentMap(workspace_).shown};
}

const std::vector<HeadLikeness>* SameAnswers::get() {
  const std::optional<Subject> wanted = subject();
  if (!wanted) return nullptr;
  const LayerInspection& layer = *workspace_.models().shownLayer();
  return likeness_.get(*wanted, QCoreApplication::translate("SameAnswers", "Comparing rows"),
                       [map = mapOf(layer, wanted->map)](const Progress& progress) {
                         return headLikeness(*map, progress);
                       });
}

SharedLikeness SameAnswers::known() const {
  const std::optional<Subject> wanted = subject();
  return wanted ? likeness_.sharedFor(*wanted) : nullptr;
}

void SameAnswers::letGo() {
  const StillOpen isOpen(workspace_.models());
  likeness_.keepIf([&isOpen](const Subject& subject) { return isOpen(subject.attention); });
}

}  // namespace softscope
