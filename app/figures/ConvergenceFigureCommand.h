#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure convergence`.
int writeConvergenceFigure(const FigureArguments& arguments);
void addConvergenceOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
