#include "core/analysis/LineMeasures.h"

#include "core/analysis/LineCauses.h"
#include "core/analysis/LineScore.h"

namespace softscope {

LineMeasures lineMeasures(const LayerInspection& layer, int head, const Progress& progress) {
  const LineScores scores = lineScores(*layer.attention, head, progress);
  LineMeasures measures{scores.raw, scores.centred, {}, {}};
  if (const auto causes = lineCauses(layer, head, scores.columnMeans)) {
    measures.keyNormCorrelation = causes->keyNorm;
    measures.queryDirectionCorrelation = causes->queryDirection;
  }
  return measures;
}

}  // namespace softscope
