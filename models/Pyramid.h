#pragma once

#include "models/Family.h"
#include "models/Trainable.h"

#include <vector>

namespace softscope {

/// SOFT's pyramid with another attention inside (Table 1 of the paper): softmax, Linformer,
/// Performer, Nyströmformer, SimA, ELU, Efficient attention or CosFormer in stages 1 to 3. The
/// names are Softscope's own.
Family pyramidFamily();

/// `pyramid_softmax_nano`, `pyramid_linformer_nano`, ..., for pictures of 128 x 128.
std::vector<TrainableArchitecture> trainablePyramids();

}  // namespace softscope
