#pragma once

namespace softscope {

/// The matrix of a layer that is shown: one that multiplies V, the kernel that it approximates, or
/// what its entries add to a class.
enum class ShownMap {
  Attention,        ///< S, the attention itself
  Convolution,      ///< C, the matrix of the depthwise convolution of V beside the attention
  Effective,        ///< S + C, everything that the layer applies to V
  Kernel,           ///< the exact kernel that the landmarks approximate; it multiplies nothing
  GradientProduct,  ///< S times the gradient of a class's logit, entry by entry
};

}  // namespace softscope
