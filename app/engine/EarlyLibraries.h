#pragma once

#include <thread>

namespace softscope {

/// Loads the libraries that LibTorch is linked to (SOFTSCOPE_EARLY_LIBRARIES) one by one in a
/// separate thread, while the window is created and drawn. Loading a library blocks all other
/// threads that load one, and Qt loads some before the first paint: LibTorch as a whole would delay
/// it by some tenths of a second, these libraries by a few hundredths. If one cannot be loaded, the
/// engine will report it; nothing is loaded for another engine than the program's own. The
/// destructor waits for the library that is being loaded.
class EarlyLibraries {
 public:
  EarlyLibraries();

 private:
  std::jthread loading_;
};

}  // namespace softscope
