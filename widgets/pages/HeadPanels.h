#pragma once

#include "core/query/HeadLikeness.h"
#include "widgets/paint/HeadPanel.h"

#include <vector>

namespace softscope {

class Workspace;

/// Returns the panels of the grid of heads: one per answer, drawn as the workspace's view
/// specifies. Heads that answer every query alike are marked as such if `likeness` is known.
std::vector<HeadPanel> headPanels(const Workspace& workspace,
                                  const std::vector<HeadLikeness>* likeness);

}  // namespace softscope
