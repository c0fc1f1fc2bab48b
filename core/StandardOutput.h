#pragma once

namespace softscope {

/// Makes sure that standard input, output and error are open, so that no file that the program
/// opens takes the number of a closed stream and receives its output. Writing to a closed stream
/// still fails.
void openStandardStreams();

/// Throws Error if anything printed could not be written to standard output.
void checkStandardOutput();

}  // namespace softscope
