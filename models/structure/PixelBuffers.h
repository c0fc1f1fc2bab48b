#pragma once

#include "core/checkpoint/StateDict.h"
#include "models/structure/TensorUnits.h"

#include <optional>
#include <vector>

namespace softscope {

/// The buffers with which a network norms pixels itself: `pixel_mean` and `pixel_std`.
struct PixelBuffers {
  TensorUnit mean;
  TensorUnit deviation;
};

/// Takes buffers of one mean and one deviation of each colour out of the units. Returns nothing if
/// there are none. Throws a ModelError for those of pixels that do not lie between 0 and 1.
std::optional<PixelBuffers> takePixelBuffers(const StateDict& state,
                                             std::vector<TensorUnit>& units);

}  // namespace softscope
