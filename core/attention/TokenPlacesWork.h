#pragma once

#include <cstddef>

namespace softscope {

/// Returns the number of steps that tokenPlaces() takes for `places` places.
std::size_t workOfTokenPlaces(std::size_t places);

}  // namespace softscope
