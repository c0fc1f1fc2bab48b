#pragma once

#include <cstddef>
#include <ctime>

namespace softscope::fuzz {

/// While it lives, an input is read by the rule for all readers: 64 MB and four times the input at
/// most, and a second, of which instrumented code gets ten. Ends the process where it is not.
/// (Memory is counted only under the address sanitizer.)
class RuleWatch {
 public:
  /// `size`: of the input, or of what it honestly decodes to.
  explicit RuleWatch(std::size_t size);
  ~RuleWatch();
  RuleWatch(const RuleWatch&) = delete;
  RuleWatch& operator=(const RuleWatch&) = delete;

 private:
  std::clock_t start_;
};

}  // namespace softscope::fuzz
