#pragma once

#include "core/array/Npz.h"
#include "core/inspect/LayerMap.h"
#include "core/query/AttentionValues.h"
#include "core/query/HeadLikeness.h"
#include "core/query/QueryToken.h"
#include "core/query/ShownHeads.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// One layer asked one query.
struct QueriedLayer {
  const LayerInspection* layer = nullptr;
  PictureExtent seen;
  PictureQuery query;
  Direction direction = Direction::Rows;
  /// Which of its maps answers.
  ShownMap map = ShownMap::Attention;
  int token = 0;
  std::vector<AttentionValues> values;
  SharedLikeness likeness;

  const AttentionDescription& attention() const { return layer->attention->description(); }
};

/// Throws InspectionError for a head or a map that is not there.
QueriedLayer askLayer(const LayerInspection& layer, const PictureExtent& seen,
                      const PictureQuery& query, Direction direction, const ShownHeads& heads,
                      ShownMap map = ShownMap::Attention);

/// Every layer asked every query, layer by layer. Throws as askLayer() does. The answers point to
/// the layers.
std::vector<QueriedLayer> askLayers(const std::vector<LayerInspection>& layers,
                                    const PictureExtent& seen,
                                    const std::vector<PictureQuery>& queries, Direction direction,
                                    const ShownHeads& heads, ShownMap map = ShownMap::Attention);

/// How alike the answers of each layer's heads are; null where canCompareAnswers() says that it
/// would take long.
std::vector<SharedLikeness> layerLikeness(const std::vector<LayerInspection>& layers,
                                          ShownMap map = ShownMap::Attention);

/// Tells the answers of askLayers() the likeness of their layers, one for each, in the same order.
void tellLikeness(std::vector<QueriedLayer>& answers, const std::vector<SharedLikeness>& likeness);

/// Whether values are the mean or the largest over heads of a layer whose only head is shown, too:
/// the same map once more.
bool repeatsOnlyHead(const QueriedLayer& asked, const AttentionValues& values);

/// `row_12_7`, `column_12_7`, `row_class`: the query in the name of an array.
std::string queryName(const QueriedLayer& asked);

/// `NAME.head_N`, `NAME.mean` or `NAME.max`
std::string arrayName(const std::string& name, int head);

/// Adds a panel's numbers under their arrayName(), and with `.prefix` after it those of the tokens
/// before the patches. What is there already under that name is not added again; other
/// numbers under it get a number of their own.
void addArrays(NamedArrays& arrays, const std::string& name, const AttentionValues& values);

/// Per value an array of the grid's height x width (or of tokens, where they are not patches),
/// named `LAYER.QUERY.head_N`, `LAYER.QUERY.mean` or `LAYER.QUERY.max` with the layer's dots as
/// underscores, heads counted from 0 and QUERY `row_R_C`, `column_R_C` or `.._class`; where there
/// are prefix tokens their values follow as `NAME.prefix`.
NamedArrays answerArrays(const std::vector<QueriedLayer>& answers);

}  // namespace softscope
