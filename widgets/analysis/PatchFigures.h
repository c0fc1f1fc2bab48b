#pragma once

#include "core/analysis/SaliencyAnalysis.h"
#include "core/analysis/classmap/ClassAnalysis.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/analysis/reach/ReachAnalysis.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/image/Picture.h"
#include "core/query/PictureQuery.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"
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

/// Returns a panel over the picture for each layer that is defined, a cell for each pixel.
std::vector<HeadPanel> reachPanels(const std::vector<LayerReach>& reaches,
                                   const ReachSettings& settings, const ViewSettings& view);

/// Returns what is shown: `which pixels reach patch (7, 7): half within 31.2 of 224 pixels ...`.
QString reachText(const std::vector<LayerReach>& reaches, const ReachSettings& settings);

/// Returns a block for each model, the query marked if it is among `queries`; `picture` is null for
/// the mean over several.
PanelFigure reachFigure(const std::vector<LayerReach>& reaches, const ReachSettings& settings,
                        const PictureQuery& query, const std::vector<MarkedQuery>& queries,
                        const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

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

/// Returns panels over the picture, those of sums first. Their values are the norms; the ends of
/// their colours are the norms that become 0 and 1. Sums share one range, and heads another, if the
/// view says so.
std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view);

/// Returns the line below the layer's name: `... l1 norms after SimA's normalisation`.
QString saliencyText(const LayerSaliency& saliency);

/// Returns a block of panels for each layer that has some, starting with the picture. `picture` may
/// be null.
PanelFigure saliencyFigure(const std::vector<LayerSaliency>& saliencies,
                           const std::shared_ptr<const Picture>& picture, const ViewSettings& view);

/// Plots the rank correlation of each method's map with the trained network's against the parts
/// that were drawn anew, a plot for each model.
std::vector<Plot> sanityPlots(const std::vector<ModelSanity>& models);

PanelFigure sanityFigure(const std::vector<ModelSanity>& models);

}  // namespace softscope
