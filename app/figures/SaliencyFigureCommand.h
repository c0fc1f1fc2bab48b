#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure saliency`.
int writeSaliencyFigure(const FigureArguments& arguments);
void addSaliencyOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
