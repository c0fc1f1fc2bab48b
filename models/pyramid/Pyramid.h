#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// SOFT's pyramid with another attention in stages 1 to 3: softmax, Linformer, Performer or
/// Nyströmformer, as in Table 1 of "SOFT: Softmax-free Transformer with Linear Complexity" (2021,
/// arXiv 2110.11945); SimA, Efficient attention or CosFormer, which Table 2 of "SimA: Simple
/// Softmax-free Attention for Vision Transformers" (2022, arXiv 2206.08898) compares; or ELU, from
/// its Table 3. The names are Softscope's own.
Family pyramidFamily();

}  // namespace softscope
