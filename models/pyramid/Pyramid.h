#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SOFT's pyramid with another attention inside (Table 1 of the paper): softmax, Linformer,
/// Performer, Nyströmformer, SimA, ELU, Efficient attention or CosFormer in stages 1 to 3. The
/// names are Softscope's own.
Family pyramidFamily();

}  // namespace softscope
