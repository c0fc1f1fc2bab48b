#pragma once

#include <string>

namespace softscope {

/// Keeps the program's arguments, for files that say how they were made.
void rememberCommand(int argc, const char* const* argv);

/// The command line as it was typed, quoted for a POSIX shell: `softscope survey -m ...`.
std::string typedCommand();

}  // namespace softscope
