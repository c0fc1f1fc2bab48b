#pragma once

#include "app/engine/EngineLibrary.h"

#include <string>

namespace softscope {

/// Returns the path in SOFTSCOPE_ENGINE of another engine than the program's own; usually empty.
std::string otherEngine();

/// Returns the library of the engine, which the first call from any thread loads; that call takes
/// some tenths of a second. The library is beside the program, or where SOFTSCOPE_ENGINE says.
/// Throws EngineError if it cannot be loaded or has another version.
const EngineLibrary& engineLibrary();

/// Returns the library's engine without loading the library: whatever is called first loads it. It
/// has no measureCost.
Engine loadedEngine();

}  // namespace softscope
