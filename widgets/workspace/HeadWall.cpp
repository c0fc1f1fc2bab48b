#include "widgets/workspace/HeadWall.h"

#include "core/inspect/LayerMap.h"
#include "core/query/QueryToken.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/ViewChoice.h"
#include "widgets/workspace/Workspace.h"

#include <numeric>

namespace softscope {

std::vector<HeadWallRow> headWall(const Workspace& workspace) {
  std::vector<HeadWallRow> rows;
  const OpenedModel* opened = workspace.models().current();
  if (!opened || !opened->inspection) return rows;
  const PictureExtent extent = workspace.queries().extent();
  const PictureQuery& query = workspace.queries().query();
  const Direction direction = workspace.layers().direction();
  for (const LayerInspection& layer : opened->ofAllChannels->layers) {
    HeadWallRow row{layer.name, {}, {}};
    const auto shown = mapOf(layer, availableMap(layer, workspace.view().map()));
    const bool isReady = direction == Direction::Rows || shown->columnsReady();
    if (isReady) {
      std::vector<int> heads(static_cast<std::size_t>(shown->description().heads));
      std::iota(heads.begin(), heads.end(), 0);
      const int token = queryToken(shown->description(), extent, query, direction);
      row.answers = attentionValues(*shown, heads, token, direction);
      row.ranges = valueRanges(row.answers, workspace.view().settings());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace softscope
