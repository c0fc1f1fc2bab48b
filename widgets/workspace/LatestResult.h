#pragma once

#include "widgets/workspace/Worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace softscope {

/// Holds the worker's latest result for a page, with its subject. Equal subjects have equal
/// results, so nothing is computed twice in a row.
template <typename Subject, typename Result>
class LatestResult {
 public:
  using Compute = std::function<Result(const Progress&)>;

  /// `arrived` is called when a result is available; both arguments outlive this object.
  LatestResult(Worker& worker, std::function<void()> arrived)
      : worker_(worker), arrived_(std::move(arrived)) {}

  /// Returns the result for `subject`, or null after asking the worker for it; `what` tells the
  /// user what the worker does. A computation that was dropped for other work is requested again
  /// once the worker has nothing else to do; one that the user cancelled, or that failed or gave
  /// way to another analysis, is not repeated before retry().
  const Result* get(const Subject& subject, const QString& what, Compute compute) {
    if (result_ && subject_ == subject) return result_.get();
    const bool isDue = fate_ && *fate_ == Worker::Fate::Dropped && !worker_.isBusy();
    if (subject_ == subject && !isDue) return nullptr;
    subject_ = subject;
    result_.reset();
    fate_.reset();
    auto fate = worker_.submit(Worker::Kind::Analysis, what,
                               [this, subject, compute](const Progress& progress) {
                                 auto result = std::make_shared<const Result>(compute(progress));
                                 return [this, subject, result] {
                                   if (subject_ != subject) return;
                                   result_ = result;
                                   arrived_();
                                 };
                               });
    fate_ = std::move(fate);
    return nullptr;
  }

  /// Returns the latest result for any subject, or null.
  const Result* latest() const { return result_.get(); }
  std::shared_ptr<const Result> shared() const { return result_; }
  /// Returns the result for `subject`, or null; does not request it.
  std::shared_ptr<const Result> sharedFor(const Subject& subject) const {
    return subject_ == subject ? result_ : nullptr;
  }

  /// Drops the result, or the pending request, unless `isOpen` returns true for its subject.
  template <typename IsOpen>
  void keepIf(const IsOpen& isOpen) {
    if (!subject_ || isOpen(*subject_)) return;
    subject_.reset();
    result_.reset();
  }

  /// Allows a result that is neither available nor pending to be requested again; call it when the
  /// user looks at the page again.
  void retry() {
    const bool isPending = fate_ && *fate_ == Worker::Fate::Awaited;
    if (!result_ && !isPending) subject_.reset();
  }
  /// Allows a result whose request gave way to another analysis to be requested again; call it when
  /// no other analysis is pending.
  void retrySuperseded() {
    if (!result_ && fate_ && *fate_ == Worker::Fate::Superseded) subject_.reset();
  }

 private:
  Worker& worker_;
  std::function<void()> arrived_;
  std::optional<Subject> subject_;
  /// The fate of the latest request; null before the first.
  std::shared_ptr<const Worker::Fate> fate_;
  std::shared_ptr<const Result> result_;
};

}  // namespace softscope
