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

}  // namespace softscope
