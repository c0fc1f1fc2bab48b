#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure rollout`.
int writeRolloutFigure(const FigureArguments& arguments);
void addRolloutOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
