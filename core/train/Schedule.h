#pragma once

#include <cstdint>

namespace softscope {

/// The learning rate over a training: a straight warm-up to `peak`, then half a cosine down to
/// `floor`, both reached exactly where two steps or more follow the warm-up.
struct Schedule {
  double peak = 1e-3;
  double floor = 0;
  std::int64_t warmup = 0;  ///< steps
  std::int64_t steps = 1;   ///< of the whole training

  /// Of step 0 ... steps - 1.
  double rate(std::int64_t step) const;
};

}  // namespace softscope
