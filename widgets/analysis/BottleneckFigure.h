#pragma once

#include "core/analysis/bottleneck/HeadBottleneck.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

/// `landmark 12`, and `of 25, at (2, 2)` where they lie on a grid.
QString landmarkText(int landmark);
QString landmarkPlaceText(const HeadBottleneck& bottleneck, int landmark);

/// The landmarks on the picture with the chosen one marked, its column of P over the picture, and
/// the matrix A.
std::vector<HeadPanel> bottleneckPanels(const HeadBottleneck& bottleneck, int landmark,
                                        const ViewSettings& view);

/// Magnitudes of the eigenvalues of A and of D^-1 A against their rank, and how many of the latter
/// are near 1.
Plot eigenvaluePlot(const HeadBottleneck& bottleneck);

/// What is seen, below the layer's name.
QString bottleneckText(const HeadBottleneck& bottleneck);

/// A block for each head of each layer that has landmarks. `picture` may be null.
PanelFigure bottleneckFigure(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark,
                             const std::shared_ptr<const Picture>& picture,
                             const ViewSettings& view);

}  // namespace softscope
