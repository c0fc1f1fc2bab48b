#pragma once

#include "widgets/figure/CompareFigure.h"

#include <vector>

namespace softscope {

/// Gives the panels of a comparison their ranges and colours: models' by the view, differences'
/// centred at zero; each line its own, or linked over all models and over all differences.
void applyRanges(std::vector<ComparedLine>& lines, const ViewSettings& view, bool linked);

}  // namespace softscope
