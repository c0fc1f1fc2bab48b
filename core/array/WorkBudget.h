#pragma once

#include <cstddef>
#include <cstdint>

namespace softscope {

/// What a reader may do with a file beyond reading each of its bytes once: how many entries it may
/// visit, and how many bytes copy or compare. A file may refer to what it holds any number of
/// times, so that without it few bytes could ask for endless work.
class WorkBudget {
 public:
  /// `fileSize`: in bytes.
  explicit WorkBudget(std::uint64_t fileSize);

  /// Throws Malformed where no real file of that size takes so much, as does touch().
  void visit(std::size_t entries);
  void touch(std::size_t bytes);

  /// What all budgets of this thread were asked for, in bytes touched; an entry counts as sixteen.
  static std::uint64_t spentByThread();

 private:
  void spend(std::uint64_t bytes);

  std::uint64_t left_;
};

}  // namespace softscope
