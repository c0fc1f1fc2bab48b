#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SOFT's pyramid with another attention inside, as in Table 1 of "SOFT: Softmax-free Transformer
/// with Linear Complexity", 2021, arXiv 2110.11945: softmax, Linformer, Performer, Nyströmformer,
/// SimA, ELU, Efficient attention or CosFormer in stages 1 to 3. The names are Softscope's own.
Family pyramidFamily();

}  // namespace softscope
