#pragma once

#include <cstdint>
#include <initializer_list>

namespace softscope {

/// Random numbers that depend only on a seed and a key such as {epoch, picture}. Training that
/// resumes, or that prepares its pictures in another order, draws the same numbers; there is no
/// generator state to keep. (SplitMix64; the distributions are implemented here because those of
/// the standard library differ between implementations.)
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::initializer_list<std::uint64_t> key = {});

  std::uint64_t next();
  /// Returns a number in [0, 1).
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Returns an integer in 0 ... bound - 1; `bound` must be at least 1.
  std::uint64_t below(std::uint64_t bound);
  bool chance(double probability) { return uniform() < probability; }
  /// Draws from the symmetric beta distribution Beta(alpha, alpha); `alpha` must be above 0.
  double beta(double alpha);

 private:
  double betaOfSmall(double alpha);
  double betaOfLarge(double alpha);

  std::uint64_t state_;
};

}  // namespace softscope
