#pragma once

#include "app/FigureArguments.h"

namespace softscope {

/// `softscope figure matrix`.
int drawMatrixFigure(const FigureArguments& arguments);
void addMatrixOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
