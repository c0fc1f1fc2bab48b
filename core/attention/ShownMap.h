#pragma once

namespace softscope {

/// Which of a layer's matrices that multiply V is looked at.
enum class ShownMap {
  Attention,    ///< S
  Convolution,  ///< C, the depthwise convolution of V beside it as a matrix
  Effective,    ///< S + C: all that the layer makes of V
};

}  // namespace softscope
