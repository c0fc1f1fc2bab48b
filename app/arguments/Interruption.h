#pragma once

#include "core/Progress.h"

namespace softscope {

/// While an object of this class exists, Ctrl+C, SIGTERM and SIGHUP cancel a progress instead of
/// ending the program; a second Ctrl+C ends it. Only one may exist at a time.
class Interruption {
 public:
  explicit Interruption(Progress& progress);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
};

}  // namespace softscope
