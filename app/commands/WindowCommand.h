#pragma once

#include "app/arguments/WindowArguments.h"

#include <functional>

namespace softscope {

/// Opens the window and comes back when it is closed, with the exit code. Throws UsageError for
/// arguments that do not go together, Error where there is no display or no such device. Calls
/// `onceConnected` when Qt has its display, before the window is made.
int openWindow(const WindowArguments& arguments, const std::function<void()>& onceConnected);

}  // namespace softscope
