#pragma once

namespace softscope {

/// While one lives, what decoders print about damaged pictures (`libpng error: ...`,
/// `Corrupt JPEG data: ...`) is lost, standard error being /dev/null: Softscope says once what is
/// wrong. For all threads, and as long as any of them needs it.
class MutedDecoder {
 public:
  MutedDecoder();
  ~MutedDecoder();
  MutedDecoder(const MutedDecoder&) = delete;
  MutedDecoder& operator=(const MutedDecoder&) = delete;
};

}  // namespace softscope
