#pragma once

#include <string>

namespace softscope {

/// Stores the program's arguments, for files that record how they were made.
void rememberCommand(int argc, const char* const* argv);

/// Returns an argument as a POSIX shell takes it: in quotes if it needs them.
std::string quotedArgument(const std::string& argument);

/// Returns the command line as it was typed, quoted for a POSIX shell: `softscope survey -m ...`.
std::string typedCommand();

}  // namespace softscope
