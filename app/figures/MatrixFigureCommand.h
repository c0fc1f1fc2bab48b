#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure matrix`.
int writeMatrixFigure(const FigureArguments& arguments);
void addMatrixOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
