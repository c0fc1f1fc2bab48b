#pragma once

#include "core/Progress.h"

#include <string>
#include <vector>

namespace softscope {

/// The output and the end of a process.
struct ChildOutcome {
  std::string output;  ///< standard output
  /// Standard error. Libraries warn there, so text does not mean that anything failed.
  std::string errors;
  /// False if a signal ended the process.
  bool exited = false;
  int exitCode = -1;
};

/// Runs `program` with `arguments` (its name not among them) and without input, until it ends. When
/// cancelled, kills the process and throws Cancelled. Throws InspectionError if the process cannot
/// be started.
ChildOutcome runChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                             const Progress& progress = {});

}  // namespace softscope
