#pragma once

#include "core/image/Picture.h"
#include "core/model/InputTransform.h"
#include "core/query/QueriedLayer.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/ValueRange.h"
#include "widgets/settings/ViewSettings.h"

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

/// Returns the width over height of an answer's panels: that of the part the network saw or,
/// without a picture, of the grid.
double panelAspect(const Picture* picture, const PictureRegion& region,
                   const AttentionDescription& attention, Direction direction);

/// Returns the caveats that the panels' colours do not show (captionCaveats()), each after a
/// separator, to be appended to a caption.
QString caveatsText(const QueriedLayer& asked, const std::vector<AttentionValues>& values);

/// Returns the mark of a query that means this token of a layer; nothing if the token is no patch.
/// `seen` is the part of the picture that the network saw.
std::optional<QueryMark> tokenMark(const AttentionDescription& attention, Direction direction,
                                   int token, const PictureExtent& seen, const MarkedQuery& query);

/// Makes the panel of the picture with the query on it.
HeadPanel picturePanel(const QueriedLayer& asked, const MarkedQuery& query);

/// Makes the panel of one answer over the picture, with the query on it.
HeadPanel headPanel(const QueriedLayer& asked, const MarkedQuery& query, AttentionValues values,
                    const ValueRange& range, const ViewSettings& view);

}  // namespace softscope
