#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <QtCore/QString>

#include <cstddef>
#include <vector>

namespace softscope {

/// Returns the name of an order, with the layer of its map if maps of several layers are compared.
QString orderTitle(const PictureDeletion& deletion, const OrderedDeletion& order);

/// Returns plots of deletion and insertion, to be shown side by side, with a curve for each map.
/// The legend states its areas and how many random orders it is better than; these are shown as a
/// band that contains nine tenths of them.
std::vector<Plot> deletionPlots(const PictureDeletion& deletion);

/// Returns what is followed, what is removed, and which orders are missing.
QString deletionText(const PictureDeletion& deletion);

/// Returns the picture as the network sees it with 10, 25 and 50 % removed, in one of the orders.
std::vector<HeadPanel> deletionPanels(const PictureDeletion& deletion, std::size_t order);

/// Returns the description of one of the panels of deletionPanels().
QString deletionPictureText(const PictureDeletion& deletion, std::size_t order, std::size_t panel);

/// Shows the curves of each model and, below them, its pictures in the order of every map and in
/// the first random order. Throws InspectionError if no model has any.
PanelFigure deletionFigure(const std::vector<PictureDeletion>& deletions);

}  // namespace softscope
