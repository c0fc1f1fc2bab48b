#pragma once

#include <thread>

namespace softscope {

/// Loads the libraries that LibTorch is linked to (SOFTSCOPE_EARLY_LIBRARIES), one after another in
/// a thread of its own, while the window is made and drawn. Whoever loads a library keeps everybody
/// else from it, and Qt loads some on its way to the first paint: LibTorch as a whole would hold it
/// up for some tenths of a second, these do for a few hundredths. What cannot be loaded is left to
/// the engine, which says so; nothing is loaded for another engine than the program's own. The
/// destructor waits for the library at hand.
class EarlyLibraries {
 public:
  EarlyLibraries();

 private:
  std::jthread loading_;
};

}  // namespace softscope
