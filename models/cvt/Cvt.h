#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// CvT (microsoft/CvT): a pyramid whose queries, keys and values are made by convolutions, keys on
/// a coarser grid; and CvT with SimA in place of the softmax.
Family cvtFamily();

}  // namespace softscope
