#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure survey`, of a `.survey` file in the picture's place.
int writeSurveyFigure(const FigureArguments& arguments);
void addSurveyOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
