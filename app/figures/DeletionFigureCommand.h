#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure deletion`.
int writeDeletionFigure(const FigureArguments& arguments);
void addDeletionOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
