#pragma once

#include "core/survey/reading/SurveyAnalysis.h"
#include "core/survey/reading/SurveyComparison.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <vector>

namespace softscope {

/// What is drawn of an answer, and what its points are.
struct SurveyDrawing {
  std::vector<Plot> plots;
  /// Of each curve of each plot, what its points stand for; empty where they are no pictures.
  std::vector<std::vector<std::vector<SurveyPoint>>> points;
  /// The line above the plots.
  QString about;
};

/// Boxes for each head, with the pictures beyond the whiskers; means with standard errors;
/// differences from the first model with 95 % intervals, corrected for their number; a histogram
/// for each model, in the order of histogramsOf(); or one measure against the other. May run on any
/// thread.
SurveyDrawing surveyDrawing(const SurveyAnswer& answer, SurveyShow show);

PanelFigure surveyFigure(const SurveyAnswer& answer, SurveyShow show);

/// The width that a plot of these needs on the screen.
int narrowestSurveyPlot(const std::vector<Plot>& plots);

}  // namespace softscope
