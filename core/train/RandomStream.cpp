#include "core/train/RandomStream.h"

#include <cmath>

namespace softscope {

namespace {

/// SplitMix64's finaliser: a bijection that scatters neighbouring values.
std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t increment = 0x9e3779b97f4a7c15u;

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::initializer_list<std::uint64_t> key)
    : state_(scatter(seed + increment)) {
  constexpr std::uint64_t factor = 0xd1342543de82ef95u;
  for (const std::uint64_t part : key) state_ = scatter(state_ + increment + factor * part);
}

std::uint64_t RandomStream::next() {
  state_ += increment;
  return scatter(state_);
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Numbers beyond the largest multiple of the bound are rejected; otherwise small numbers would be
  // more likely.
  const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
  std::uint64_t drawn = next();
  while (drawn >= limit) drawn = next();
  return drawn % bound;
}

double RandomStream::beta(double alpha) {
  return alpha <= 2 ? betaOfSmall(alpha) : betaOfLarge(alpha);
}

double RandomStream::betaOfSmall(double alpha) {
  // Jöhnk: x / (x + y) of x = u^(1/alpha), y = v^(1/alpha), where x + y is at most 1: once in
  // binomial(2 alpha, alpha) tries.
  for (;;) {
    const double u = uniform();
    const double v = uniform();
    const double x = std::pow(u, 1 / alpha);
    const double y = std::pow(v, 1 / alpha);
    if (x + y > 0 && x + y <= 1) return x / (x + y);
    // With a small alpha both powers may underflow to 0, with a tiny one they nearly always do;
    // their ratio is drawn from their logarithms then.
    if (x + y == 0 && u + v > 0) return 1 / (1 + std::exp((std::log(v) - std::log(u)) / alpha));
  }
}

double RandomStream::betaOfLarge(double alpha) {
  // Cheng's algorithm BB for two equal parameters above 1: rejects less than every third try.
  const double root = std::sqrt(alpha);
  for (;;) {
    const double u = uniform();
    const double v = uniform();
    const double logit = std::log(u / (1 - u)) / root;
    const double w = alpha * std::exp(logit);
    const double drawn = w / (alpha + w);
    const double bound =
        (alpha + root) * logit - std::log(4.0) + 2 * alpha * std::log(2 * alpha / (alpha + w));
    if (u > 0 && bound >= std::log(u * u * v)) return drawn;
  }
}

}  // namespace softscope
