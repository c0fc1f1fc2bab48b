#pragma once

#include "app/commands/Commands.h"

#include <functional>
#include <string>

namespace softscope {

/// Reads the command line with what `describe` adds to the program, and runs what it names. Returns
/// the exit code: 0 done; 1 one line on stderr says what is wrong and what to do; 2 the command
/// line cannot be meant.
int runProgram(int argc, char** argv,
               const std::function<void(CLI::App& program, Command& chosen)>& describe);

/// One line that a terminal can show, whatever a library or a file put into the message. Returns
/// `exitCode`.
int complain(const std::string& message, int exitCode);

}  // namespace softscope
