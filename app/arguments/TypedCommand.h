#pragma once

#include <string>

namespace softscope {

/// Stores the program's arguments, for files that record how they were made.
void rememberCommand(int argc, const char* const* argv);

/// Returns the command line as it was typed, quoted for a POSIX shell: `softscope survey -m ...`.
std::string typedCommand();

}  // namespace softscope
