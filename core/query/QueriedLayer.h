#pragma once

#include "core/Progress.h"
#include "core/array/Npz.h"
#include "core/inspect/LayerMap.h"
#include "core/query/AttentionValues.h"
#include "core/query/HeadLikeness.h"
#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <string>
#include <vector>

namespace softscope {

/// One layer's answer to one query.
struct QueriedLayer {
  const LayerInspection* layer = nullptr;
  PictureExtent seen;
  PictureQuery query;
  Direction direction = Direction::Rows;
  /// The map that answers.
  ShownMap map = ShownMap::Attention;
  int token = 0;
  std::vector<AttentionValues> values;
  SharedLikeness likeness;

  const AttentionDescription& attention() const { return layer->attention->description(); }
};

/// Returns a layer's answer to a query. Throws InspectionError for a head or a map that does not
/// exist.
QueriedLayer askLayer(const LayerInspection& layer, const PictureExtent& seen,
                      const PictureQuery& query, Direction direction, const ShownHeads& heads,
                      ShownMap map = ShownMap::Attention);

/// Returns every layer's answer to every query, layer by layer. Throws like askLayer(). The answers
/// point to the layers.
std::vector<QueriedLayer> askLayers(const std::vector<LayerInspection>& layers,
                                    const PictureExtent& seen,
                                    const std::vector<PictureQuery>& queries, Direction direction,
                                    const ShownHeads& heads, ShownMap map = ShownMap::Attention);

/// Returns how alike the answers of each layer's heads are; null if canCompareAnswers() is false.
/// May throw Cancelled.
std::vector<SharedLikeness> layerLikeness(const std::vector<LayerInspection>& layers,
                                          ShownMap map = ShownMap::Attention,
                                          const Progress& progress = {});

/// Stores the likeness of their layers in the answers of askLayers(). `likeness` has one entry for
/// each layer, in the same order.
void tellLikeness(std::vector<QueriedLayer>& answers, const std::vector<SharedLikeness>& likeness);

/// True if the values are the mean or the largest over heads of a layer with a single head that is
/// shown as well, so that they repeat its map.
bool repeatsOnlyHead(const QueriedLayer& asked, const AttentionValues& values);

/// Returns the query as part of an array's name: `row_12_7`, `column_12_7`, `row_class`,
/// `row_token1` for another single token.
std::string queryName(const QueriedLayer& asked);

/// Returns the name of a panel's array: `NAME.head_N`, `NAME.mean` or `NAME.max`.
std::string arrayName(const std::string& name, int head);

/// Adds a panel's numbers under their arrayName(), and those of the tokens before the patches under
/// the same name with `.prefix`. The same numbers are not added twice under a name; other numbers
/// get a numbered name.
void addArrays(NamedArrays& arrays, const std::string& name, const AttentionValues& values);

/// Returns an array for each answer, of the grid's height x width (or of tokens, if they are not
/// patches), named `LAYER.QUERY.head_N`, `LAYER.QUERY.mean` or `LAYER.QUERY.max`, with the layer's
/// dots as underscores, heads counted from 0, and QUERY as `row_R_C`, `column_R_C`, `.._class` or
/// `.._tokenN`. The values of prefix tokens follow as `NAME.prefix`.
NamedArrays answerArrays(const std::vector<QueriedLayer>& answers);

}  // namespace softscope
