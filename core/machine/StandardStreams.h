#pragma once

#include <string_view>

namespace softscope {

/// Writes all of `text` to standard error, even while a SilentStandardError exists.
void writeStandardError(std::string_view text);

/// Discards everything that libraries print on standard error while an object of this class exists:
/// Softscope itself says once what is wrong. Affects all threads, for as long as any of them holds
/// such an object.
class SilentStandardError {
 public:
  SilentStandardError();
  ~SilentStandardError();
  SilentStandardError(const SilentStandardError&) = delete;
  SilentStandardError& operator=(const SilentStandardError&) = delete;
};

/// Makes sure that standard input, output and error are open, so that no file that the program
/// opens takes the number of a closed stream and receives its output. Writing to a closed stream
/// still fails.
void openStandardStreams();

/// Throws Error if anything printed could not be written to standard output.
void checkStandardOutput();

}  // namespace softscope
