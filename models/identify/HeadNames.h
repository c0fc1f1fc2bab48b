#pragma once

#include "core/checkpoint/StateDict.h"

namespace softscope {

/// Renames `head.1.weight` to `head.weight`, which families know, if a Linear is the only part of a
/// sequence `head` with parameters, for example after a dropout. Otherwise returns the tensors
/// unchanged.
StateDict withPlainHead(const StateDict& state);

/// Returns true if `head` is MoCo v3's projection, which ends with a batch norm, rather than a
/// classifier.
bool hasProjectionHead(const StateDict& state);

}  // namespace softscope
