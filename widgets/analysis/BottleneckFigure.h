#pragma once

#include "core/Progress.h"
#include "core/analysis/bottleneck/BottleneckEigenvalues.h"
#include "core/analysis/bottleneck/Landmarks.h"
#include "core/array/Npz.h"
#include "core/image/Picture.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// One head's bottleneck, or why it has none.
struct HeadBottleneck {
  AnalysedLayer of;
  int head = 0;
  std::vector<LandmarkPlace> landmarks;
  BottleneckEigenvalues eigenvalues;
  std::string obstacle;

  const Matrix& kernel() const { return of.layer().bottleneck[static_cast<std::size_t>(head)]; }
};

/// Of `heads` of each layer, all where none are named; a layer without landmarks, or without one of
/// the heads, gets its obstacle instead, once. May throw Cancelled.
std::vector<HeadBottleneck> computeBottlenecks(const std::vector<AnalysedLayer>& layers,
                                               const std::vector<int>& heads,
                                               const Progress& progress = {});

/// The landmark that is meant: the one in the picture's middle where none is chosen. Throws
/// InspectionError where there is no such landmark.
int chosenLandmark(const HeadBottleneck& bottleneck, std::optional<int> landmark);

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

/// Per head `MODEL.LAYER.head_N.A` [m, m]; `.eigenvalues` and `.eigenvalues_normalised`, of A and
/// D^-1 A, [m] where they are real and [m, 2] with their imaginary parts where not; `.landmark_I`,
/// the column of P on its grid, [height, width].
NamedArrays bottleneckArrays(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark);

}  // namespace softscope
