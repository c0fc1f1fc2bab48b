#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure spectrum`.
int writeSpectrumFigure(const FigureArguments& arguments);
void addSpectrumOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
