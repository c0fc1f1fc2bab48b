#include "app/engine/LoadedEngine.h"

#include "app/program/Program.h"
#include "core/Error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <functional>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

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

void loadEarlyLibraries(const std::stop_token& stop) {
  if (!otherEngine().empty()) return;
  std::istringstream names(SOFTSCOPE_EARLY_LIBRARIES);
  for (std::string name; names >> name && !stop.stop_requested();) loadLibrary(name);
  if (stop.stop_requested()) return;
  try {
    engineLibrary();
  } catch (const std::exception&) {
    // Whoever needs the engine is told then.
  }
}

std::string enginePath() {
  const std::string other = otherEngine();
  return other.empty() ? programFolder() + "/libsoftscope_engine.so" : other;
}

[[noreturn]] void refuseEngine(const std::string& path, const std::string& why) {
  throw EngineError("Softscope's part that runs networks, " + path + ", " + why +
                    "; install or build Softscope again, or set SOFTSCOPE_ENGINE to one that does");
}

const EngineLibrary& loadEngine() {
  const std::string path = enginePath();
  void* library = loadLibrary(path);
  if (library == nullptr) refuseEngine(path, "cannot be loaded: " + std::string(dlerror()));
  void* entry = dlsym(library, "softscopeEngine");
  if (entry == nullptr) refuseEngine(path, "is not Softscope's");
  const EngineLibrary* engine = reinterpret_cast<decltype(&softscopeEngine)>(entry)();
  if (std::string_view(engine->version) != SOFTSCOPE_VERSION) {
    refuseEngine(path,
                 "is of version " + std::string(engine->version) + ", not " + SOFTSCOPE_VERSION);
  }
  return *engine;
}

/// Returns a function that passes its arguments on to this member of the library's engine.
template <typename Result, typename... Arguments>
std::function<Result(Arguments...)> onceLoaded(
    std::function<Result(Arguments...)> Engine::*member) {
  return [member](Arguments... arguments) -> Result {
    return (engineLibrary().engine.*member)(std::forward<Arguments>(arguments)...);
  };
}

}  // namespace

void* loadLibrary(const std::string& path) {
  return dlopen(path.c_str(), loadingMode());
}

EarlyLibraries::EarlyLibraries() : loading_(loadEarlyLibraries) {}

std::string otherEngine() {
  const char* chosen = std::getenv("SOFTSCOPE_ENGINE");
  return chosen != nullptr ? chosen : "";
}

const EngineLibrary& engineLibrary() {
  static const EngineLibrary& loaded = loadEngine();
  return loaded;
}

Engine loadedEngine() {
  return {.openModel = onceLoaded(&Engine::openModel),
          .inspect = onceLoaded(&Engine::inspect),
          .inspectTokens = onceLoaded(&Engine::inspectTokens),
          .measureShare = onceLoaded(&Engine::measureShare),
          .measureClassMaps = onceLoaded(&Engine::measureClassMaps),
          .measureReach = onceLoaded(&Engine::measureReach),
          .measureDeletion = onceLoaded(&Engine::measureDeletion),
          .measureCost = {},
          .setThreads = onceLoaded(&Engine::setThreads)};
}

}  // namespace softscope
