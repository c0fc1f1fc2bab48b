#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/HeadsFigure.h"

#include <vector>

namespace softscope {

class Workspace;

/// What every head of the current layer, and their mean and largest if wanted, answers to the
/// query. Empty before an inspection.
std::vector<AttentionValues> headAnswers(const Workspace& workspace);

/// The current layer's heads; picture and layer are those of the screen.
HeadsSubject headsSubject(const Workspace& workspace);

/// All models that have seen the picture, side by side.
CompareSubject compareSubject(const Workspace& workspace);

}  // namespace softscope
