#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `figure heads`: every head of the chosen layers for the chosen queries.
int writeHeadsFigure(const FigureArguments& arguments);

}  // namespace softscope
