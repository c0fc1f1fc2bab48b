#pragma once

#include "core/survey/reading/SurveyAnalysis.h"
#include "core/survey/reading/SurveyComparison.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// The drawing of an answer, with what its points stand for.
struct SurveyDrawing {
  std::vector<Plot> plots;
  /// For each curve of each plot, the pictures that its points stand for; empty if they stand for
  /// none.
  std::vector<std::vector<std::vector<SurveyPoint>>> points;
  /// The line above the plots.
  QString about;
};

/// Draws an answer as boxes for each head, with the pictures beyond the whiskers; means with
/// standard errors; differences from the first model with 95 % intervals, corrected for their
/// number; a histogram for each model, in the order of histogramsOf(); or one measure against the
/// other. May run on any thread.
SurveyDrawing surveyDrawing(const SurveyAnswer& answer, SurveyShow show);

PanelFigure surveyFigure(const SurveyAnswer& answer, SurveyShow show);

}  // namespace softscope
