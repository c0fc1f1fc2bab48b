#pragma once

namespace softscope {

/// Makes sure that standard input, output and error are open, so that no file of the program's
/// takes the number of one that is closed and is printed into. Writing to a closed one fails still.
void openStandardStreams();

/// Throws Error where something that was printed could not be written to standard output.
void checkStandardOutput();

}  // namespace softscope
