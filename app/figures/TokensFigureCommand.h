#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure tokens`.
int writeTokensFigure(const FigureArguments& arguments);
void addTokensOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
