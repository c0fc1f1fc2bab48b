#pragma once

#include "core/StandardError.h"

namespace softscope {

/// While one lives, what decoders print about damaged pictures (`libpng error: ...`,
/// `Corrupt JPEG data: ...`) is lost.
class MutedDecoder {
 public:
  MutedDecoder();

 private:
  SilentStandardError silence_;
};

}  // namespace softscope
