#pragma once

#include "core/analysis/cka/CkaAnalysis.h"
#include "widgets/figure/PanelFigure.h"

namespace softscope {

/// Shows a map of layers x layers, the largest of each row marked.
PanelFigure ckaFigure(const ModelCka& cka, const CkaSettings& settings);

}  // namespace softscope
