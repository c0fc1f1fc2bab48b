#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

#include <QtCore/QString>

#include <cstddef>
#include <vector>

namespace softscope {

/// What an order is called; with the layer that a map is of where maps of several are compared.
QString orderTitle(const PictureDeletion& deletion, const OrderedDeletion& order);

/// Deletion and insertion beside each other: a curve for each map, in its group's name its areas
/// and how many orders at random it is better than, and these as a band that nine tenths lie in.
std::vector<Plot> deletionPlots(const PictureDeletion& deletion);

/// What is followed, what is removed, and which orders there are not.
QString deletionText(const PictureDeletion& deletion);

/// The picture as the network sees it with 10, 25 and 50 % removed in one of the orders.
std::vector<HeadPanel> deletionPanels(const PictureDeletion& deletion, std::size_t order);

/// What one of these pictures is.
QString deletionPictureText(const PictureDeletion& deletion, std::size_t order, std::size_t panel);

/// Curves of each model, and below them its pictures in the order of every map and in the first one
/// at random. Throws InspectionError where no model has any.
PanelFigure deletionFigure(const std::vector<PictureDeletion>& deletions);

}  // namespace softscope
