#pragma once

#include "app/engine/Engine.h"

#include <string>

namespace softscope {

/// Returns the path in SOFTSCOPE_ENGINE of another engine than the program's own; usually empty.
std::string otherEngine();

/// Returns the engine, which the first call from any thread loads; that call takes some tenths of a
/// second. The library is beside the program, or where SOFTSCOPE_ENGINE says. Throws EngineError if
/// it cannot be loaded or has another version.
const Engine& engine();

}  // namespace softscope
