#include "widgets/workspace/SameAnswers.h"

#include "core/analysis/LineScore.h"
#include "core/query/Proportion.h"
#include "widgets/workspace/OfferedMap.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QCoreApplication>

#include <utility>

namespace softscope {
namespace {

/// A kernel's score takes a pass over all of its entries: up to a second.
constexpr double mostEntries = 2e7;

bool isQuick(const AttentionDescription& attention) {
  return double(attention.queries) * attention.keys * attention.heads <= mostEntries;
}

}  // namespace

SameAnswers::SameAnswers(const Workspace& workspace, Worker& worker, std::function<void()> arrived)
    : workspace_(workspace), scores_(worker, std::move(arrived)) {}

const std::vector<std::optional<double>>* SameAnswers::scores() {
  const LayerInspection* layer = workspace_.models().shownLayer();
  if (!layer || layer->attention->description().queries < 2 ||
      !isQuick(layer->attention->description())) {
    return nullptr;
  }
  const ShownMap shown = currentMap(workspace_).shown;
  return scores_.get({layer->attention, shown},
                     QCoreApplication::translate("SameAnswers", "Comparing rows"),
                     [map = mapOf(*layer, shown)](const Progress& progress) {
                       std::vector<std::optional<double>> scores;
                       for (int head = 0; head < map->description().heads; ++head) {
                         scores.push_back(lineScores(*map, head, progress).raw);
                       }
                       return scores;
                     });
}

QString sameAnswerText(const std::optional<double>& score) {
  if (!score || *score < sameForEveryQuery) return {};
  return QCoreApplication::translate("SameAnswers", "almost the same for every query");
}

}  // namespace softscope
