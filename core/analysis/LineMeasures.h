#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

#include <array>
#include <optional>

namespace softscope {

/// Measures of a head's vertical lines; see LineScores and LineCauses.
struct LineMeasures {
  std::optional<double> score;
  std::optional<double> centredScore;
  std::optional<double> keyNormCorrelation;
  std::optional<double> queryDirectionCorrelation;
};

/// A measure and its name in files.
struct LineMeasure {
  const char* name;
  std::optional<double> LineMeasures::*value;
};
inline constexpr std::array<LineMeasure, 4> lineMeasureNames = {
    {{"line_score", &LineMeasures::score},
     {"line_score_centred", &LineMeasures::centredScore},
     {"key_norm_correlation", &LineMeasures::keyNormCorrelation},
     {"query_direction_correlation", &LineMeasures::queryDirectionCorrelation}}};

/// Returns the measures of one head. Throws InspectionError if there is no such head; may throw
/// Cancelled.
LineMeasures lineMeasures(const LayerInspection& layer, int head, const Progress& progress = {});

}  // namespace softscope
