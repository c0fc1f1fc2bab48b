#pragma once

#include "core/analysis/rollout/Rollout.h"
#include "core/image/Picture.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <vector>

namespace softscope {

/// Returns a panel over the picture for each rollout that is defined.
std::vector<HeadPanel> rolloutPanels(const std::vector<LayerRollout>& rollouts,
                                     const ViewSettings& view);

/// Returns what is shown: `what patch (3, 4) sees of the picture through 12 layers: ...`; of
/// several layers of a model, as for the last.
QString rolloutText(const std::vector<LayerRollout>& rollouts, const RolloutSettings& settings);

/// Returns a block for each model; `picture` may be null.
PanelFigure rolloutFigure(const std::vector<LayerRollout>& rollouts,
                          const RolloutSettings& settings, const std::vector<MarkedQuery>& queries,
                          const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

}  // namespace softscope
