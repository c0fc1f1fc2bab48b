#pragma once

#include <cstddef>

namespace softscope {

/// How many steps tokenPlaces() takes for so many places.
std::size_t workOfTokenPlaces(std::size_t places);

}  // namespace softscope
