#pragma once

#include "core/Error.h"

#include <atomic>
#include <functional>
#include <string>
#include <utility>

namespace softscope {

/// How far a long piece of work has come, and whether it should stop. The worker reports; any
/// thread may cancel.
class Progress {
 public:
  /// Called on the worker's thread with the fraction done in [0, 1] and what is being done.
  using Listener = std::function<void(double fraction, const std::string& what)>;

  Progress() = default;
  explicit Progress(Listener listener) : listener_(std::move(listener)) {}

  /// Tells the listener; throws Cancelled if cancel() was called.
  void report(double fraction, const std::string& what) const {
    throwIfCancelled();
    if (listener_) listener_(fraction, what);
  }
  void throwIfCancelled() const {
    if (cancelled()) throw Cancelled();
  }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  Listener listener_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace softscope
