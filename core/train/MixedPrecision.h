#pragma once

namespace softscope {

/// While it lives, CUDA products of this thread are computed in bfloat16 and everything that needs
/// more in float32. Parameters and gradients stay float32.
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
