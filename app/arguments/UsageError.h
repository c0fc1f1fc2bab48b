#pragma once

#include "core/Error.h"

namespace softscope {

/// A command line that makes no sense; the program exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace softscope
