#pragma once

#include <cstdint>
#include <optional>

namespace softscope {

/// How busy other programs keep the machine while this process works, by the system's own account.
class OtherWork {
 public:
  /// Begins to count.
  OtherWork();

  /// So many cores, on average since then, that other programs kept busy beyond those that this
  /// process leaves idle when it works on `threads` of them: what it may have had to wait for.
  /// Counted in hundredths of a second. Nothing where the system does not tell.
  std::optional<double> coresLost(int threads) const;

 private:
  /// In ticks, from the machine's start and from the process'.
  struct Account {
    std::int64_t all = 0;
    std::int64_t own = 0;
    double wall = 0;
    int cores = 0;
  };
  static std::optional<Account> account();

  std::optional<Account> begin_;
};

}  // namespace softscope
