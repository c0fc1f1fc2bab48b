#pragma once

#include "models/identify/Family.h"

namespace softscope {

/// DINOv2 ("DINOv2: Learning Robust Visual Features without Supervision", 2023, arXiv 2304.07193)
/// with and without registers ("Vision Transformers Need Registers", 2023, arXiv 2309.16588), under
/// the names of Facebook and Hugging Face.
Family dinov2Family();

}  // namespace softscope
