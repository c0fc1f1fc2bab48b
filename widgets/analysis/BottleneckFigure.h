#pragma once

#include "core/analysis/bottleneck/HeadBottleneck.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <vector>

namespace softscope {

/// landmarkText() returns `landmark 12`; landmarkPlaceText() returns `of 25, at (2, 2)`, or `of 25`
/// if the landmarks do not form a grid.
QString landmarkText(int landmark);
QString landmarkPlaceText(const HeadBottleneck& bottleneck, int landmark);

/// Returns three panels: the landmarks on the picture with the chosen one marked, the landmark's
/// column of P over the picture, and the matrix A.
std::vector<HeadPanel> bottleneckPanels(const HeadBottleneck& bottleneck, int landmark,
                                        const ViewSettings& view);

/// Plots the magnitudes of the eigenvalues of A and of D^-1 A against their rank, and notes how
/// many of the latter are close to 1.
Plot eigenvaluePlot(const HeadBottleneck& bottleneck);

/// Returns the line below the layer's name, which says what is shown.
QString bottleneckText(const HeadBottleneck& bottleneck);

/// Returns a block for each head of each layer that has landmarks. `picture` may be null.
PanelFigure bottleneckFigure(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark,
                             const std::shared_ptr<const Picture>& picture,
                             const ViewSettings& view);

}  // namespace softscope
