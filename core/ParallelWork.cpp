#include "core/ParallelWork.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace softscope {
namespace {

/// Number of values that one thread goes through before another is ready to help.
constexpr std::int64_t valuesWorthAThread = 1 << 15;

/// A call's work: whoever is free takes the next index.
class Work {
 public:
  Work(std::int64_t count, const std::function<void(std::int64_t)>& compute)
      : count_(count), compute_(compute) {}

  void help() {
    try {
      for (std::int64_t i = next_++; i < count_; i = next_++) compute_(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = count_;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t count_;
  const std::function<void(std::int64_t)>& compute_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// The threads that help whoever shares work, one fewer than there are cores.
class Helpers {
 public:
  Helpers() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < cores; ++i) {
      threads_.emplace_back([this](const std::stop_token& stop) { wait(stop); });
    }
  }
  ~Helpers() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  /// Returns false without doing anything if the threads help someone else.
  bool share(Work& work, std::int64_t helpers) {
    if (threads_.empty() || turn_.test_and_set()) return false;
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      wanted_ = std::min(helpers, static_cast<std::int64_t>(threads_.size()));
    }
    wake_.notify_all();
    work.help();
    std::unique_lock lock(mutex_);
    // Whoever did not come in time is not waited for.
    wanted_ = 0;
    left_.wait(lock, [this] { return busy_ == 0; });
    work_ = nullptr;
    turn_.clear();
    return true;
  }

 private:
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return wanted_ > 0; })) {
      --wanted_;
      ++busy_;
      Work& work = *work_;
      lock.unlock();
      work.help();
      lock.lock();
      if (--busy_ == 0) left_.notify_one();
    }
  }

  /// Set while someone shares work.
  std::atomic_flag turn_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable left_;
  Work* work_ = nullptr;
  std::int64_t wanted_ = 0;
  std::int64_t busy_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace

void shareWork(std::int64_t count, std::int64_t values,
               const std::function<void(std::int64_t)>& compute) {
  Work work(count, compute);
  const std::int64_t threads = std::min(count, values / valuesWorthAThread);
  const auto share = [&] {
    static Helpers helpers;
    return helpers.share(work, threads - 1);
  };
  if (threads < 2 || !share()) work.help();
  work.rethrow();
}

}  // namespace softscope
