#pragma once

#include "core/analysis/classmap/ClassAnalysis.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns a panel over the picture for each map that is defined: those of the first class and, for
/// two classes, those of the second and the differences, in rows.
std::vector<HeadPanel> classPanels(const ModelClassMaps& maps, const ViewSettings& view);

/// Returns what is shown: `which patches speak for cat (y 8.31, 97.2 %): ...`.
QString classText(const ModelClassMaps& maps, const ClassMapSettings& settings);

/// Returns a block for each model and class, and one for their difference; `picture` may be null.
PanelFigure classFigure(const std::vector<ModelClassMaps>& models, const ClassMapSettings& settings,
                        const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
