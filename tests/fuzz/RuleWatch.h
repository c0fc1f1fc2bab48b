#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace softscope::fuzz {

/// During its lifetime, an input is read under the rule for all readers: at most 64 MB plus four
/// times the input, and one second, or ten for instrumented code. Work is counted as well as time,
/// so that excessive work is found on any machine: the total of all allocations, and what readers
/// request from their budgets. Ends the process if the rule is broken. (Memory is the process's
/// total under the address sanitizer, and otherwise what C++ allocates.)
class RuleWatch {
 public:
  /// `size` is the size of the input, or of the data that it legitimately decodes to.
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
