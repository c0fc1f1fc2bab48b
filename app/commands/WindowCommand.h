#pragma once

#include "app/arguments/WindowArguments.h"
#include "core/engine/Engine.h"

#include <functional>

namespace softscope {

/// Opens the window, whose models `engine` runs, and returns the exit code once it is closed.
/// Throws UsageError for arguments that do not go together, and Error if there is no display or no
/// such device. Calls `loadLibraries` before the window is drawn, when Qt has loaded its own
/// plugins and the threads that compute run.
int openWindow(const WindowArguments& arguments, Engine engine,
               std::function<void()> loadLibraries);

}  // namespace softscope
