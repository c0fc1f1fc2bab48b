#include "app/engine/LoadedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace softscope {
namespace {

/// Returns the mode for dlopen(). The library looks its hundred thousand symbols up in its own
/// libraries before the window's hundred, which makes a difference of a fifth of LibTorch's loading
/// time. Not used if a library is preloaded, such as another malloc(), which all libraries must
/// share; the same goes for a sanitizer.
int loadingMode() {
  constexpr int mode = RTLD_LAZY | RTLD_LOCAL;
#ifdef __SANITIZE_ADDRESS__
  return mode;
#else
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && *preloaded != '\0' ? mode : mode | RTLD_DEEPBIND;
#endif
}

}  // namespace

void* loadLibrary(const std::string& path) {
  return dlopen(path.c_str(), loadingMode());
}

}  // namespace softscope
