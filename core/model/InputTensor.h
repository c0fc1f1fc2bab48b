#pragma once

#include <vector>

namespace softscope {

/// What a network is fed: one picture, channels first, already normalised: [3, height, width]. For
/// a recording, which is fed nothing, the size alone.
struct InputTensor {
  int height = 0;
  int width = 0;
  std::vector<float> values;
};

}  // namespace softscope
