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
  /// Called on the worker's thread with the fraction done, in [0, 1], and a description of the
  /// current step.
  using Listener = std::function<void(double fraction, const std::string& what)>;

  Progress() = default;
  explicit Progress(Listener listener) : listener_(std::move(listener)) {}

  /// Tells the listener. Throws Cancelled if cancel() was called.
  void report(double fraction, const std::string& what) const {
    throwIfCancelled();
    if (listener_) listener_(fraction, what);
  }
  /// Returns the progress of a part of this work: its [0, 1] is [from, to] of the whole, and
  /// cancelling the whole cancels it. It must not outlive this object.
  Progress part(double from, double to, std::string what) const {
    return Progress(this,
                    [this, from, to, what = std::move(what)](double fraction, const std::string&) {
                      if (listener_) listener_(from + fraction * (to - from), what);
                    });
  }
  /// Returns the progress of a part that describes its own steps.
  Progress part(double from, double to) const {
    return Progress(this, [this, from, to](double fraction, const std::string& what) {
      if (listener_) listener_(from + fraction * (to - from), what);
    });
  }
  /// Returns the progress of a part whose time does not count, so that it tells nothing; cancelling
  /// the whole cancels it. It must not outlive this object.
  Progress silent() const { return Progress(this, {}); }
  void throwIfCancelled() const {
    if (cancelled()) throw Cancelled();
  }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (whole_ && whole_->cancelled());
  }

 private:
  Progress(const Progress* whole, Listener listener)
      : whole_(whole), listener_(std::move(listener)) {}

  const Progress* whole_ = nullptr;
  Listener listener_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace softscope
