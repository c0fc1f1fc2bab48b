#pragma once

#include "core/Progress.h"

#include <string>
#include <vector>

namespace softscope {

/// What a process left.
struct ChildOutcome {
  /// Standard output and standard error, as they came.
  std::string text;
  /// False where a signal ended it.
  bool exited = false;
  int exitCode = -1;
};

/// Runs `program` with `arguments` after its name, without input, until it ends. Cancelled, it
/// kills the process and throws Cancelled. Throws InspectionError where none can be started.
ChildOutcome runChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                             const Progress& progress = {});

}  // namespace softscope
