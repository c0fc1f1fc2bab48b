#pragma once

#include <string_view>

namespace softscope {

/// Writes all of `text` to standard error, also while one of the silences below lasts.
void writeStandardError(std::string_view text);

/// While one lives, what libraries print on standard error is lost, which is /dev/null for them:
/// Softscope says once what is wrong. For all threads, and as long as any of them needs it.
class SilentStandardError {
 public:
  SilentStandardError();
  ~SilentStandardError();
  SilentStandardError(const SilentStandardError&) = delete;
  SilentStandardError& operator=(const SilentStandardError&) = delete;
};

}  // namespace softscope
