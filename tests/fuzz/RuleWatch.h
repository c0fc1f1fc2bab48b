#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace softscope::fuzz {

/// While it lives, an input is read by the rule for all readers: 64 MB and four times the input at
/// most, and a second, of which instrumented code gets ten. Work counts as well as time, so that
/// what takes too much of it is found on any machine: what is allocated altogether, and what
/// readers ask their budgets for. Ends the process where the rule is broken. (Memory is all of it
/// under the address sanitizer, and elsewhere what C++ allocates.)
class RuleWatch {
 public:
  /// `size`: of the input, or of what it honestly decodes to.
  explicit RuleWatch(std::size_t size);
  ~RuleWatch();
  RuleWatch(const RuleWatch&) = delete;
  RuleWatch& operator=(const RuleWatch&) = delete;

 private:
  std::clock_t start_;
  std::uint64_t spentBefore_;
  std::uint64_t mostSpent_;
};

}  // namespace softscope::fuzz
