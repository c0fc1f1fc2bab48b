#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SOFT and SOFT++ (fudan-zvg/SOFT): a pyramid whose first three stages attend through landmarks
/// and whose fourth is an ordinary transformer.
Family softFamily();

}  // namespace softscope
