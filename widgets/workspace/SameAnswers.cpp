#include "widgets/workspace/SameAnswers.h"

#include "core/analysis/LineScore.h"
#include "core/query/AnswerLikeness.h"
#include "core/query/Proportion.h"
#include "widgets/workspace/OfferedMap.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/StillOpen.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>

#include <utility>

namespace softscope {
namespace {

/// A kernel takes two passes over all of its entries: up to two seconds.
constexpr double mostEntries = 2e7;

bool isQuick(const AttentionDescription& attention) {
  return double(attention.queries) * attention.keys * attention.heads <= mostEntries;
}

}  // namespace

SameAnswers::SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived)
    : workspace_(workspace), likeness_(worker, std::move(arrived)) {}

const std::vector<HeadLikeness>* SameAnswers::get() {
  const LayerInspection* layer = workspace_.models().shownLayer();
  if (!layer || layer->attention->description().queries < 2 ||
      !isQuick(layer->attention->description())) {
    return nullptr;
  }
  const ShownMap shown = currentMap(workspace_).shown;
  return likeness_.get({layer->attention, shown},
                       QCoreApplication::translate("SameAnswers", "Comparing rows"),
                       [map = mapOf(*layer, shown)](const Progress& progress) {
                         std::vector<HeadLikeness> heads;
                         for (int head = 0; head < map->description().heads; ++head) {
                           heads.push_back({lineScores(*map, head, progress).raw,
                                            answerLikeness(*map, head, progress)});
                         }
                         return heads;
                       });
}

void SameAnswers::letGo() {
  const StillOpen isOpen(workspace_.models());
  likeness_.keepIf([&isOpen](const Subject& subject) { return isOpen(subject.attention); });
}

QString sameAnswerText(const HeadLikeness& likeness) {
  if (likeness.lineScore.value_or(0) >= sameForEveryQuery) {
    return QCoreApplication::translate("SameAnswers", "almost the same for every query");
  }
  if (likeness.rows.value_or(0) >= sameForEveryQuery) {
    return QCoreApplication::translate("SameAnswers", "same pattern for every query");
  }
  return {};
}

}  // namespace softscope
