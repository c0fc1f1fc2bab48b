#pragma once

#include "app/commands/Commands.h"

#include <functional>
#include <string>

namespace softscope {

/// Returns the folder of the running program's file, which also holds its other parts.
std::string programFolder();

/// Reads the command line with everything that `describe` adds to the program, and runs the command
/// that it names. Returns the exit code: 0 for success; 1 after an error, for which one line on
/// stderr says what is wrong and what to do; 2 for a command line that makes no sense.
int runProgram(int argc, char** argv,
               const std::function<void(CLI::App& program, Command& chosen)>& describe);

/// Ends the process with this exit code once everything printed is written, without what libraries
/// do at the end: LibTorch takes some 50 ms to forget its operators one by one.
[[noreturn]] void endProcess(int exitCode);

/// Writes a message to stderr in one line that a terminal can show, even if a library or a file
/// contributed untrusted text to it. Returns `exitCode`.
int complain(const std::string& message, int exitCode);

}  // namespace softscope
