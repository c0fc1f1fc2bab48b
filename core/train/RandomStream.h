#pragma once

#include <cstdint>
#include <initializer_list>

namespace softscope {

/// Random numbers that depend on nothing but a seed and a key such as {epoch, picture}. A training
/// that goes on after a stop, or prepares its pictures in another order, draws the same ones; there
/// is no generator's state to keep. (SplitMix64; the distributions are our own because those of the
/// standard library differ between implementations.)
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::initializer_list<std::uint64_t> key = {});

  std::uint64_t next();
  /// In [0, 1).
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In 0 ... bound - 1; bound at least 1.
  std::uint64_t below(std::uint64_t bound);
  bool chance(double probability) { return uniform() < probability; }
  /// Of the symmetric beta distribution Beta(alpha, alpha), alpha above 0.
  double beta(double alpha);

 private:
  double betaOfSmall(double alpha);
  double betaOfLarge(double alpha);

  std::uint64_t state_;
};

}  // namespace softscope
