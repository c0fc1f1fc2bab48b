#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `figure compare`: one layer of each model on one picture, for the chosen queries.
int writeCompareFigure(const FigureArguments& arguments);

}  // namespace softscope
