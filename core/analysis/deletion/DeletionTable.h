#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "core/array/Table.h"

#include <vector>

namespace softscope {

/// Returns the table with the columns
/// `model,ordering,curve,fraction,probability,area,deviation,area_deviation,layer,class,`
/// `better_than,as_good_as,random_orders`: a row for every point of every curve, `deletion` and
/// `insertion`. The random orders are one ordering, `random`, with the means of their probabilities
/// and areas and their standard deviations over orders; other orderings have no deviations. For
/// those, `better_than` and `as_good_as` count the `random_orders` whose area is worse and the
/// same.
Table deletionTable(const std::vector<PictureDeletion>& deletions);

}  // namespace softscope
