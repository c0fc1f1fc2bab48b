#pragma once

#include "app/engine/EngineLibrary.h"

#include <string>
#include <thread>

namespace softscope {

/// Loads a shared library permanently. Returns null if that fails; dlerror() says why.
void* loadLibrary(const std::string& path);

/// Loads the libraries that LibTorch is linked to (SOFTSCOPE_EARLY_LIBRARIES) one by one and then
/// the engine with LibTorch itself, in a separate thread, while the window is created and drawn.
/// Loading a library blocks all other threads that load one, and thread-local objects of theirs
/// that need a destructor: what Qt loads for the first paint has to be loaded before. If something
/// cannot be loaded, whoever needs the engine will be told; nothing is loaded for another engine
/// than the program's own. The destructor waits for the library that is being loaded.
class EarlyLibraries {
 public:
  EarlyLibraries();

 private:
  std::jthread loading_;
};

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
