#pragma once

#include "app/FigureArguments.h"

namespace softscope {

/// `softscope figure norms`.
int drawNormsFigure(const FigureArguments& arguments);
void addNormsOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
