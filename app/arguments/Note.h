#pragma once

#include <string>

namespace softscope {

/// A line on stderr about what is done otherwise than it may be expected. The command goes on.
void note(const std::string& text);

/// A line on stderr about what a command made, which waits for sayNotesOnResult(): a command that
/// fails says why in one line, and nothing else. A line is said once, however often it is given.
void noteOnResult(const std::string& text);

/// Writes the lines that noteOnResult() was given, in their order.
void sayNotesOnResult();

}  // namespace softscope
