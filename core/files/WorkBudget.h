#pragma once

#include <cstddef>
#include <cstdint>

namespace softscope {

/// Limits the work that a reader may do on a file beyond reading each of its bytes once: how many
/// entries it may visit, and how many bytes it may copy or compare. A file may refer to its content
/// any number of times, so without a limit a few bytes could ask for endless work.
class WorkBudget {
 public:
  /// `fileSize` is in bytes.
  explicit WorkBudget(std::uint64_t fileSize);

  /// Counts visited entries. Throws Malformed, as touch() does, if no real file of that size takes
  /// so much work.
  void visit(std::size_t entries);
  void touch(std::size_t bytes);

  /// Returns the work counted by all budgets of this thread, in bytes touched; an entry counts as
  /// sixteen bytes.
  static std::uint64_t spentByThread();

 private:
  void spend(std::uint64_t bytes);

  std::uint64_t left_;
};

}  // namespace softscope
