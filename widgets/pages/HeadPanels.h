#pragma once

#include "core/query/HeadLikeness.h"
#include "widgets/paint/HeadPanel.h"

#include <vector>

namespace softscope {

class Workspace;

/// What the grid of heads shows of a workspace: one panel per answer, as its view says. Heads that
/// answer every query alike say so, where `likeness` is known.
std::vector<HeadPanel> headPanels(const Workspace& workspace,
                                  const std::vector<HeadLikeness>* likeness);

}  // namespace softscope
