#pragma once

namespace softscope {

/// Which of a layer's matrices is looked at: what multiplies V, or what that stands for.
enum class ShownMap {
  Attention,    ///< S
  Convolution,  ///< C, the depthwise convolution of V beside it as a matrix
  Effective,    ///< S + C: all that the layer makes of V
  Kernel,       ///< the exact kernel that landmarks stand for, which multiplies nothing
};

}  // namespace softscope
