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
  /// user what the worker does. A computation that was cancelled or failed is not repeated before
  /// retry().
  const Result* get(const Subject& subject, const QString& what, Compute compute) {
    if (result_ && subject_ == subject) return result_.get();
    if (subject_ == subject) return nullptr;
    subject_ = subject;
    result_.reset();
    // The request holds this until its result is delivered or it is dropped.
    const auto request = std::make_shared<const Subject>(subject);
    request_ = request;
    worker_.submit(Worker::Kind::Analysis, what,
                   [this, request, compute](const Progress& progress) {
                     auto result = std::make_shared<const Result>(compute(progress));
                     return [this, request, result] {
                       if (subject_ != *request) return;
                       result_ = result;
                       arrived_();
                     };
                   });
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
    // A cancelled request may not have ended yet.
    const bool pending = !request_.expired() && worker_.isBusy(Worker::Kind::Analysis);
    if (!result_ && !pending) subject_.reset();
  }

 private:
  Worker& worker_;
  std::function<void()> arrived_;
  std::optional<Subject> subject_;
  std::weak_ptr<const Subject> request_;
  std::shared_ptr<const Result> result_;
};

}  // namespace softscope
