#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// How the learning rate falls.
enum class LearningRateFall {
  Cosine,  ///< half a cosine, from the peak to the floor
  Step,    ///< the peak, divided by ten after given shares of the training
};

inline constexpr std::array learningRateFalls{LearningRateFall::Cosine, LearningRateFall::Step};

/// `cosine` or `step`.
std::string nameOf(LearningRateFall fall);

/// The learning rate over a training: a straight warm-up to `peak`, then down. The cosine reaches
/// both `peak` and `floor` exactly where two steps or more follow the warm-up.
struct Schedule {
  double peak = 1e-3;
  double floor = 0;         ///< of the cosine
  std::int64_t warmup = 0;  ///< steps
  std::int64_t steps = 1;   ///< of the whole training
  LearningRateFall fall = LearningRateFall::Cosine;
  /// The first steps with a tenth of the rate before, of Step; ascending.
  std::vector<std::int64_t> drops = {};

  /// Of step 0 ... steps - 1.
  double rate(std::int64_t step) const;
};

}  // namespace softscope
