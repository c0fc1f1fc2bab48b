#pragma once

#include "app/engine/Engine.h"

#include <string>

namespace softscope {

/// The path of another engine than the program's own, as SOFTSCOPE_ENGINE names it; mostly empty.
std::string otherEngine();

/// The engine, loaded by the first call from whatever thread; that one takes some tenths of a
/// second. The library lies beside the program, or where SOFTSCOPE_ENGINE says. Throws EngineError
/// where it cannot be loaded or is another version's.
const Engine& engine();

}  // namespace softscope
