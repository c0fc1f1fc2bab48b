#pragma once

#include "app/FigureArguments.h"

namespace softscope {

/// `softscope figure spectrum`.
int drawSpectrumFigure(const FigureArguments& arguments);
void addSpectrumOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
