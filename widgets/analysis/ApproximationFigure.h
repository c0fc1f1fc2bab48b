#pragma once

#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/image/Picture.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns panels of one query's row over the picture: the exact kernel's first, then those of its
/// approximations.
std::vector<HeadPanel> approximationPanels(const HeadApproximation& approximation,
                                           const MarkedQuery& query, const PictureExtent& seen,
                                           const ViewSettings& view);

/// Returns the line below the layer's name: which matrices are shown and how far apart they are.
QString approximationText(const HeadApproximation& approximation);

/// Returns a block for each head of each layer and each query. `picture` may be null.
PanelFigure approximationFigure(const std::vector<HeadApproximation>& approximations,
                                const std::vector<MarkedQuery>& queries,
                                const std::shared_ptr<const Picture>& picture,
                                const ViewSettings& view);

}  // namespace softscope
