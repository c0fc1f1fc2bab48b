#pragma once

#include <torch/types.h>

#include <string>

namespace softscope {

/// The advice on a training's weights that are written with --half.
inline constexpr const char* withoutHalf = "go on with --resume and without --half";

/// Returns floating-point values in 16 bits, and other values as they are. Throws ModelError, whose
/// message ends with `advice`, if a value is too large.
torch::Tensor inHalfPrecision(const std::string& name, const torch::Tensor& tensor,
                              const std::string& advice);

}  // namespace softscope
