#pragma once

namespace softscope {

/// While an object of this class exists, CUDA products of this thread are computed in bfloat16, and
/// everything that needs more precision in float32. Parameters and gradients stay float32.
class MixedPrecision {
 public:
  explicit MixedPrecision(bool on);
  ~MixedPrecision();
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  bool on_;
};

}  // namespace softscope
