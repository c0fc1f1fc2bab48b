#pragma once

#include "core/query/QueriedLayer.h"
#include "widgets/figure/CompareFigure.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/HeadsFigure.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace softscope {

class Workspace;

/// Returns what the shown heads of the current layer answer to the query; nothing before an
/// inspection. It points to the layer.
std::optional<QueriedLayer> askedHeads(const Workspace& workspace);

/// Returns the current layer's heads as the subject of a figure, with the picture and layer on
/// screen.
HeadsSubject headsSubject(const Workspace& workspace);

/// Returns where a figure of these models comes from; they are indices into OpenModels::all().
FigureSource figureSource(const Workspace& workspace, const std::vector<std::size_t>& models);

/// Returns the subject of a comparison: comparedParts() of models that have seen the picture.
CompareSubject compareSubject(const Workspace& workspace);

}  // namespace softscope
