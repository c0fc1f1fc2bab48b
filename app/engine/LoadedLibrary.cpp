#include "app/engine/LoadedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace softscope {
namespace {

/// LibTorch looks a hundred thousand symbols up, in its own libraries before the window's hundred:
/// a fifth of the time it takes to load. Not where a library stands before all others, as another
/// malloc() does, which must be everybody's; a sanitizer does the same.
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
