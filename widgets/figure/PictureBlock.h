#pragma once

#include "core/image/Picture.h"
#include "core/model/PictureRegion.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

/// Panels of one model over the part of the picture that it saw.
struct PictureBlock {
  FigureCaption caption = {};
  PictureRegion region = {};
  /// Gives the panels' shape if there is no picture.
  TokenGrid grid = {};
  std::vector<HeadPanel> panels = {};
};

/// Makes a figure's block: the picture, then the panels. `picture` may be null.
FigureBlock pictureBlock(PictureBlock block, const std::shared_ptr<const Picture>& picture);

/// Returns the mark of `query` on a panel that shows `extent` of the picture in patches of `grid`;
/// empty if the query is not among `marked`.
std::optional<QueryMark> markOn(const TokenGrid& grid, const PictureExtent& extent,
                                const PictureQuery& query, const std::vector<MarkedQuery>& marked);

}  // namespace softscope
