#pragma once

#include "core/engine/Engine.h"

namespace softscope {

/// Returns the engine that opens checkpoints and recordings, and runs networks in this process. It
/// does not know live models, and has no measureCost, which takes a process of its own.
Engine networkEngine();

}  // namespace softscope
