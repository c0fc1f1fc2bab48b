#pragma once

#include "core/image/Picture.h"
#include "core/model/PictureRegion.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

/// Panels of one model over what it saw of the picture.
struct PictureBlock {
  FigureCaption caption = {};
  PictureRegion region = {};
  /// Says the panels' shape where there is no picture.
  TokenGrid grid = {};
  std::vector<HeadPanel> panels = {};
};

/// A figure's block: the picture, then the panels. `picture` may be null.
FigureBlock pictureBlock(PictureBlock block, const std::shared_ptr<const Picture>& picture);

/// The mark of a query among those that are marked, on a panel of that part of the picture, whose
/// patches `grid` are.
std::optional<QueryMark> markOn(const TokenGrid& grid, const PictureExtent& extent,
                                const PictureQuery& query, const std::vector<MarkedQuery>& marked);

}  // namespace softscope
