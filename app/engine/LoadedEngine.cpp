#include "app/engine/LoadedEngine.h"

#include "app/engine/LoadedLibrary.h"
#include "app/program/ProgramFolder.h"
#include "core/Error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace softscope {
namespace {

std::string enginePath() {
  const std::string other = otherEngine();
  return other.empty() ? programFolder() + "/libsoftscope_engine.so" : other;
}

[[noreturn]] void refuseEngine(const std::string& path, const std::string& why) {
  throw EngineError("Softscope's part that runs networks, " + path + ", " + why +
                    "; install or build Softscope again, or set SOFTSCOPE_ENGINE to one that does");
}

const Engine& loadEngine() {
  const std::string path = enginePath();
  void* library = loadLibrary(path);
  if (library == nullptr) refuseEngine(path, "cannot be loaded: " + std::string(dlerror()));
  void* entry = dlsym(library, "softscopeEngine");
  if (entry == nullptr) refuseEngine(path, "is not Softscope's");
  const Engine* engine = reinterpret_cast<decltype(&softscopeEngine)>(entry)();
  if (std::string_view(engine->version) != SOFTSCOPE_VERSION) {
    refuseEngine(path,
                 "is of version " + std::string(engine->version) + ", not " + SOFTSCOPE_VERSION);
  }
  return *engine;
}

}  // namespace

std::string otherEngine() {
  const char* chosen = std::getenv("SOFTSCOPE_ENGINE");
  return chosen != nullptr ? chosen : "";
}

const Engine& engine() {
  static const Engine& loaded = loadEngine();
  return loaded;
}

}  // namespace softscope
