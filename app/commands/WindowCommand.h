#pragma once

#include "app/arguments/WindowArguments.h"

namespace softscope {

/// Opens the window and comes back when it is closed, with the exit code. Throws UsageError for
/// arguments that do not go together, Error where there is no display or no such device.
int openWindow(const WindowArguments& arguments);

}  // namespace softscope
