#pragma once

#include "core/checkpoint/StateDict.h"

namespace softscope {

/// The tensors with `head.1.weight` called `head.weight`, as families know it, where a Linear is
/// all of a sequence `head` that has parameters: behind a dropout, for example. Else as they are.
StateDict withPlainHead(const StateDict& state);

/// Whether what is called `head` is MoCo v3's projection, which ends with a batch norm, and no
/// classifier.
bool hasProjectionHead(const StateDict& state);

}  // namespace softscope
