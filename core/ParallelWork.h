#pragma once

#include "core/Progress.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace softscope {

/// Calls compute(i) for every i in [0, count), on several threads if there are enough values to go
/// through: reading those of many tokens dominates the time, and a single core does not use the
/// full memory bandwidth. `values` is their number in all. The threads are kept for the next call,
/// since starting one takes as long as going through some ten thousand values; a call while they
/// are busy computes alone. An exception of a call is rethrown once all have ended.
void shareWork(std::int64_t count, std::int64_t values,
               const std::function<void(std::int64_t)>& compute);

/// Runs many pieces of work on several threads; one thread takes their results in order.
template <typename Result>
class OrderedWork {
 public:
  struct Parts {
    std::size_t count = 0;
    int workers = 1;
    /// Runs on each of the threads before any work.
    std::function<void()> begin;
    /// Computes the result of a piece, on any of the threads.
    std::function<Result(std::size_t)> work;
    /// Takes the result of each piece in order, on the thread that called run().
    std::function<void(std::size_t, Result)> take;
  };

  explicit OrderedWork(Parts parts) : parts_(std::move(parts)) {}

  /// Returns once all results are taken. No piece starts that is more than four per worker ahead of
  /// the last result taken, so that memory does not grow with the number of pieces. An exception
  /// from any of the functions, or Cancelled, ends all threads and is rethrown here.
  void run(const Progress& progress = {}) {
    {
      std::vector<std::jthread> threads;
      const EndOfWork end(*this);
      for (int i = 0; i < parts_.workers; ++i) threads.emplace_back([this] { workOn(); });
      takeAll(progress);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Ends the threads even if the one that takes results throws. Destroyed before the threads are
  /// joined.
  class EndOfWork {
   public:
    explicit EndOfWork(OrderedWork& work) : work_(work) {}
    ~EndOfWork() {
      const std::lock_guard lock(work_.mutex_);
      work_.ended_ = true;
      work_.changed_.notify_all();
    }
    EndOfWork(const EndOfWork&) = delete;
    EndOfWork& operator=(const EndOfWork&) = delete;

   private:
    OrderedWork& work_;
  };

  void workOn() {
    try {
      if (parts_.begin) parts_.begin();
      while (const auto piece = nextPiece()) {
        Result result = parts_.work(*piece);
        const std::lock_guard lock(mutex_);
        results_.emplace(*piece, std::move(result));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      ended_ = true;
      changed_.notify_all();
    }
  }

  std::optional<std::size_t> nextPiece() {
    std::unique_lock lock(mutex_);
    const std::size_t ahead = 4 * static_cast<std::size_t>(std::max(1, parts_.workers));
    changed_.wait(lock, [&] { return ended_ || next_ == parts_.count || next_ < taken_ + ahead; });
    if (ended_ || next_ == parts_.count) return std::nullopt;
    return next_++;
  }

  void takeAll(const Progress& progress) {
    for (std::size_t piece = 0; piece < parts_.count; ++piece) {
      std::optional<Result> result = resultOf(piece, progress);
      if (!result) return;
      parts_.take(piece, std::move(*result));
      const std::lock_guard lock(mutex_);
      taken_ = piece + 1;
      changed_.notify_all();
    }
  }

  /// Returns the result of a piece, or nothing if a thread failed.
  std::optional<Result> resultOf(std::size_t piece, const Progress& progress) {
    constexpr std::chrono::milliseconds glance{50};
    std::unique_lock lock(mutex_);
    while (true) {
      if (auto found = results_.extract(piece)) return std::move(found.mapped());
      if (ended_) return std::nullopt;
      progress.throwIfCancelled();
      changed_.wait_for(lock, glance);
    }
  }

  Parts parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
  bool ended_ = false;
  std::map<std::size_t, Result> results_;
  std::exception_ptr failure_;
};

}  // namespace softscope
