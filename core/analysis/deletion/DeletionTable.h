#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "core/array/Table.h"

#include <vector>

namespace softscope {

/// `model,ordering,curve,fraction,probability,area,deviation,area_deviation,layer,class,better_than,
/// as_good_as,random_orders`: a row for every point of every curve, `deletion` and `insertion`.
/// Orders at random are one, `random`, with the means of their probabilities and areas and the
/// standard deviations over orders, which other orders do not have. These say than how many of the
/// `random_orders` their area is better, and of how many it is the same.
Table deletionTable(const std::vector<PictureDeletion>& deletions);

}  // namespace softscope
