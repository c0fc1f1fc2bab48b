#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// CvT ("CvT: Introducing Convolutions to Vision Transformers", 2021, arXiv 2103.15808;
/// microsoft/CvT): a pyramid whose queries, keys and values are made by convolutions, keys on a
/// coarser grid; and CvT with SimA in place of the softmax.
Family cvtFamily();

}  // namespace softscope
