#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// CvT ("CvT: Introducing Convolutions to Vision Transformers", 2021, arXiv 2103.15808;
/// microsoft/CvT): a pyramid that computes queries, keys and values by convolutions, with keys on a
/// coarser grid; and CvT with SimA instead of the softmax.
Family cvtFamily();

}  // namespace softscope
