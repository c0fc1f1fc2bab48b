#pragma once

#include "app/engine/Engine.h"

namespace softscope {

/// The engine, loaded by the first call from whatever thread; that one takes some tenths of a
/// second. The library lies beside the program, or where SOFTSCOPE_ENGINE says. Throws EngineError
/// where it cannot be loaded or is another version's.
const Engine& engine();

}  // namespace softscope
