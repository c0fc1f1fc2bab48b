#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/analysis/bottleneck/Landmarks.h"
#include "core/array/Npz.h"

#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// One head's bottleneck, or the reason why it has none.
struct HeadBottleneck {
  AnalysedLayer of;
  int head = 0;
  std::vector<LandmarkPlace> landmarks;
  BottleneckEigenvalues eigenvalues;
  /// The distances of the queries to the landmarks; empty if the landmarks' kernel is not Gaussian.
  std::optional<LandmarkDistance> distance;
  std::string obstacle;

  /// Returns the grid of the patches that have landmarks.
  const TokenGrid& grid() const { return *of.attention().queryGrid; }
  const Matrix& kernel() const { return of.layer().bottleneck[static_cast<std::size_t>(head)]; }
};

/// Returns the bottlenecks of `heads` of each layer (all heads if empty). A layer without
/// landmarks, or without one of the heads, gets a single entry with its obstacle instead. May throw
/// Cancelled.
std::vector<HeadBottleneck> computeBottlenecks(const std::vector<AnalysedLayer>& layers,
                                               const std::vector<int>& heads,
                                               const Progress& progress = {});

/// Returns the chosen landmark, or the one in the middle of the picture if none is chosen. Throws
/// InspectionError if there is no such landmark.
int chosenLandmark(const HeadBottleneck& bottleneck, std::optional<int> landmark);

/// Returns the arrays of every head: `MODEL.LAYER.head_N.A` [m, m]; `.eigenvalues` and
/// `.eigenvalues_normalised` of A and D^-1 A, [m] if they are real and [m, 2] with their imaginary
/// parts otherwise; `.landmark_I`, the column of P on its grid, [height, width]; and for a Gaussian
/// kernel the numbers of LandmarkDistance, [1] each: `.landmark_distance`, `.landmark_near` and
/// `.row_sum`.
NamedArrays bottleneckArrays(const std::vector<HeadBottleneck>& bottlenecks,
                             std::optional<int> landmark);

}  // namespace softscope
