#pragma once

#include "widgets/workspace/Worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace softscope {

/// What the worker computed last for a page, and of what. `Subject` says what it is of: two that
/// are equal have the same result, so that nothing is computed twice in a row.
template <typename Subject, typename Result>
class LatestResult {
 public:
  using Compute = std::function<Result(const Progress&)>;

  /// `arrived` is called when a result is there; both outlive this.
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
    // Held by the request, until its result is here or it is dropped.
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

  /// What is there, whatever it is of, or null.
  const Result* latest() const { return result_.get(); }
  std::shared_ptr<const Result> shared() const { return result_; }
  /// The result for `subject`, or null, without asking for it.
  std::shared_ptr<const Result> sharedFor(const Subject& subject) const {
    return subject_ == subject ? result_ : nullptr;
  }

  /// Forgets what is there or on its way, unless `isOpen` is true of its subject.
  template <typename IsOpen>
  void keepIf(const IsOpen& isOpen) {
    if (!subject_ || isOpen(*subject_)) return;
    subject_.reset();
    result_.reset();
  }

  /// Asks again for what is neither there nor on its way; call it when somebody looks again.
  void retry() {
    // A request that was cancelled may still be on its way out.
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
