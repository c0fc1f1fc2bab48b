#pragma once

#include <cstdint>
#include <optional>

namespace softscope {

/// Measures how busy other programs keep the machine while this process works, by the system's own
/// account.
class OtherWork {
 public:
  /// Starts counting.
  OtherWork();

  /// Returns how many cores this process, working on `threads` of them, may have had to wait for:
  /// the cores that other programs kept busy, on average since construction, in excess of those
  /// that this process leaves idle. The system counts in hundredths of a second. Returns nothing if
  /// the system does not tell.
  std::optional<double> coresLost(int threads) const;

 private:
  /// Ticks since the start of the machine and of the process.
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
