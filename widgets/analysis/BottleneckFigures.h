#pragma once

#include "core/analysis/bottleneck/HeadApproximation.h"
#include "core/analysis/bottleneck/HeadBottleneck.h"
#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "core/analysis/bottleneck/NormsAnalysis.h"
#include "core/image/Picture.h"
#include "core/query/QueryToken.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/plot/Plot.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
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

/// Returns a plot for each model: the Nystrom form's relative error against the number of landmarks
/// m, with three curves for each choice of landmarks: with the released inverse, with the exact one
/// (dotted), and for the best matrix of that rank (dashed). Each point is the median over the
/// layers and heads that have as many landmarks. Compare Tables 4a and 4b of "SOFT: Softmax-free
/// Transformer with Linear Complexity", 2021, arXiv 2110.11945, which give accuracies.
std::vector<Plot> landmarkPlots(const std::vector<LandmarkError>& errors);

/// `rerun` is true if networks ran with the landmarks that are compared instead of those they were
/// trained with.
PanelFigure landmarkFigure(const std::vector<LandmarkError>& errors, bool rerun);

/// Returns two plots, for the released inverse and for the exact one. At one size they show all
/// four norms head by head; at several, the inverses' norms against m, with the exponents beside
/// the curves, or in the legend, next to the m^2 and m of SOFT++'s Propositions 5 and 6.
std::vector<Plot> normsPlots(const std::vector<LayerNorms>& layers);

/// Returns the caption above the plots: what the norms say in a sentence, and how to read them.
FigureCaption normsCaption(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

PanelFigure normsFigure(const std::vector<LayerNorms>& layers, const NormsSettings& settings);

}  // namespace softscope
