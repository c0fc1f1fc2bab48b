#pragma once

#include <thread>

namespace softscope {

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

}  // namespace softscope
