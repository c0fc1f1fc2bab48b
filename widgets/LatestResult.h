#pragma once

#include "widgets/Workspace.h"

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
  LatestResult(Workspace& workspace, std::function<void()> arrived)
      : workspace_(workspace), arrived_(std::move(arrived)) {}

  /// The result for `subject`, or null, after asking the worker for it; `what` says to the user
  /// what it does. What was cancelled or failed is not asked for again before forget().
  const Result* get(const Subject& subject, const QString& what, Compute compute) {
    if (result_ && subject_ == subject) return result_.get();
    if (subject_ == subject) return nullptr;
    subject_ = subject;
    result_.reset();
    workspace_.analyse(what, [this, subject, compute](const Progress& progress) {
      auto result = std::make_shared<const Result>(compute(progress));
      return [this, subject, result] {
        if (subject_ != subject) return;
        result_ = result;
        arrived_();
      };
    });
    return nullptr;
  }

  /// What is there, whatever it is of, or null.
  const Result* latest() const { return result_.get(); }
  std::shared_ptr<const Result> shared() const { return result_; }

  /// Asks again for what is not there; call it when somebody looks again.
  void retry() {
    if (!result_) subject_.reset();
  }

 private:
  Workspace& workspace_;
  std::function<void()> arrived_;
  std::optional<Subject> subject_;
  std::shared_ptr<const Result> result_;
};

}  // namespace softscope
