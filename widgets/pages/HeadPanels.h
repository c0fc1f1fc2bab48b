#pragma once

#include "widgets/paint/HeadPanel.h"

#include <vector>

namespace softscope {

class Workspace;

/// What the grid of heads shows of a workspace: one panel per answer, as its view says.
std::vector<HeadPanel> headPanels(const Workspace& workspace);

}  // namespace softscope
