#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// How the learning rate decreases.
enum class LearningRateFall {
  Cosine,  ///< half a cosine, from the peak to the floor
  Step,    ///< the peak, divided by ten after given shares of the training
};

inline constexpr std::array learningRateFalls{LearningRateFall::Cosine, LearningRateFall::Step};

/// Returns `cosine` or `step`.
std::string nameOf(LearningRateFall fall);

/// The learning rate over a training run: a linear warm-up to `peak`, then a decrease. The cosine
/// reaches both `peak` and `floor` exactly if two or more steps follow the warm-up.
struct Schedule {
  double peak = 1e-3;
  double floor = 0;         ///< final rate of the cosine
  std::int64_t warmup = 0;  ///< number of warm-up steps
  std::int64_t steps = 1;   ///< number of steps of the whole training run
  LearningRateFall fall = LearningRateFall::Cosine;
  /// For LearningRateFall::Step, the steps at which the rate drops to a tenth, ascending.
  std::vector<std::int64_t> drops = {};

  /// Returns the rate of a step in 0 ... steps - 1.
  double rate(std::int64_t step) const;
};

}  // namespace softscope
