#pragma once

#include "widgets/analysis/SurveyFigure.h"
#include "widgets/analysis/SurveyPalette.h"

#include <vector>

namespace softscope {

// The parts of surveyDrawing(); each function adds the plots of one view.

void addDistributions(SurveyDrawing& drawing, const SurveyAnswer& answer,
                      const SurveyPalette& palette);
void addMeans(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);
void addDifferences(SurveyDrawing& drawing, const SurveyAnswer& answer,
                    const SurveyPalette& palette);
void addContrasts(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);
void addSteps(SurveyDrawing& drawing, const SurveyAnswer& answer);
void addHistograms(SurveyDrawing& drawing, const SurveyAnswer& answer,
                   const SurveyPalette& palette);
void addScatter(SurveyDrawing& drawing, const SurveyAnswer& answer, const SurveyPalette& palette);

/// Adds a plot, with what the points of its curves stand for.
void addPlot(SurveyDrawing& drawing, Plot plot, std::vector<std::vector<SurveyPoint>> points = {});

/// The fraction of a slot that is filled; placeInSlot() returns the position of the k-th of `count`
/// items in it.
inline constexpr double roomOfSlot = 0.8;
double placeInSlot(int slot, int k, int count);

/// Gives plots of one measure the same vertical axis, so that they can be compared.
void shareVerticalRange(std::vector<Plot>& plots);
/// Gives all plots the shape that the fullest of them needs, so that they align.
void shapePlots(std::vector<Plot>& plots);

}  // namespace softscope
