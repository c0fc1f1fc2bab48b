#pragma once

#include <vector>

namespace softscope {

/// The input of a network: one normalised picture, channels first, [3, height, width]. A recording
/// takes no input, so its tensor has only the size.
struct InputTensor {
  int height = 0;
  int width = 0;
  std::vector<float> values;
};

}  // namespace softscope
