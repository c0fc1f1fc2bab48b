#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure share`.
int writeShareFigure(const FigureArguments& arguments);
void addShareOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
