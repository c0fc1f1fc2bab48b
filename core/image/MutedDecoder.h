#pragma once

#include "core/StandardError.h"

namespace softscope {

/// Discards what decoders print about damaged pictures (`libpng error: ...`, `Corrupt JPEG data:
/// ...`) for as long as an object of this class exists.
class MutedDecoder {
 public:
  MutedDecoder();

 private:
  SilentStandardError silence_;
};

}  // namespace softscope
