#pragma once

#include "widgets/figure/CompareFigure.h"

#include <vector>

namespace softscope {

/// Sets the ranges and colours of a comparison's panels: for models by the view, for differences
/// centred at zero. Each line gets its own or, if `linked`, all models share one and all
/// differences another.
void applyRanges(std::vector<ComparedLine>& lines, const ViewSettings& view, bool linked);

}  // namespace softscope
