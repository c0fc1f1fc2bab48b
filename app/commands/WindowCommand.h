#pragma once

#include "app/arguments/WindowArguments.h"
#include "core/engine/Engine.h"

#include <functional>

namespace softscope {

/// Opens the window, whose models `engine` runs, and returns the exit code once it is closed.
/// Throws UsageError for arguments that do not go together, and Error if there is no display or no
/// such device. Calls `onceConnected` when Qt has its display, before the window is created.
int openWindow(const WindowArguments& arguments, Engine engine,
               const std::function<void()>& onceConnected);

}  // namespace softscope
