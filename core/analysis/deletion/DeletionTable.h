#pragma once

#include "core/analysis/deletion/PictureDeletion.h"
#include "core/array/Table.h"

#include <vector>

namespace softscope {

/// `model,ordering,curve,fraction,probability,area,deviation,area_deviation,layer,class`: a row for
/// every point of every curve, `deletion` and `insertion`. Orders at random are one, `random`, with
/// the means of their probabilities and areas and the standard deviations over orders, which other
/// orders do not have.
Table deletionTable(const std::vector<PictureDeletion>& deletions);

}  // namespace softscope
