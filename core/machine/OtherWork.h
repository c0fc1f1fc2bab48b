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

  /// Returns the average number of cores since construction that other programs kept busy beyond
  /// those that this process leaves idle when it works on `threads` cores: the cores it may have
  /// had to wait for. The system counts in hundredths of a second. Returns nothing if the system
  /// does not tell.
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
