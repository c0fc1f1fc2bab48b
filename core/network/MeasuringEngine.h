#pragma once

#include "core/engine/Engine.h"

namespace softscope {

/// Returns the engine that runs open models in this process. It has no openModel, and no
/// measureCost, which takes a process of its own.
Engine measuringEngine();

}  // namespace softscope
