#include "app/engine/EarlyLibraries.h"

#include "app/engine/LoadedEngine.h"
#include "app/engine/LoadedLibrary.h"

#include <exception>
#include <sstream>
#include <stop_token>
#include <string>

namespace softscope {
namespace {

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

}  // namespace

EarlyLibraries::EarlyLibraries() : loading_(loadEarlyLibraries) {}

}  // namespace softscope
